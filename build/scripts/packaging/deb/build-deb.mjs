import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { lastLines, run } from '../../run.mjs';
import { inPath } from '../../set-up/system-packages.mjs';
import { SetupError } from '../../steps.mjs';
import { writeTree } from '../contents/tree.mjs';
import { controlFile } from './control.mjs';

/** @typedef {import('./control.mjs').DebFacts} DebFacts */
/** @typedef {import('../contents/tree.mjs').TreeFile} TreeFile */

/** Returns whether this machine can build Debian packages. */
export function canBuildDebs() {
  return inPath('dpkg-deb');
}

/**
 * Builds a Debian package with `dpkg-deb`. The same content gives the same bytes: files are sorted, owned by root, and
 * have one time.
 *
 * @param {DebFacts} facts
 * @param {{ files: readonly TreeFile[], scripts: readonly TreeFile[] }} content `scripts`: files of `DEBIAN/`, such as
 *   `postinst`
 * @param {string} out path of the package
 * @param {{ dateS: number, compression?: 'xz' | 'none' }} options `dateS`: time of all files (Unix time, s)
 * @throws {SetupError}
 */
export async function buildDeb(facts, { files, scripts }, out, { dateS, compression = 'xz' }) {
  const work = await mkdtemp(join(tmpdir(), 'overworld-deb-'));
  try {
    await writeTree(work, files);
    const { sums, bytes } = await describeFiles(work);
    await mkdir(join(work, 'DEBIAN'));
    await writeTree(join(work, 'DEBIAN'), scripts);
    await writeFile(join(work, 'DEBIAN', 'control'), controlFile(facts, bytes));
    await writeFile(join(work, 'DEBIAN', 'md5sums'), sums);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(dateS) };
    await must(run('find', [work, '-exec', 'touch', '--no-dereference', `--date=@${dateS}`, '{}', '+']), out);
    const args = ['--root-owner-group', `-Z${compression}`, '--build', work, out];
    await must(run('dpkg-deb', args, { env }), out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns the content of `DEBIAN/md5sums` for all files below a folder, and their total size.
 *
 * @param {string} folder
 */
async function describeFiles(folder) {
  let bytes = 0;
  const lines = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const facts = await lstat(path);
    bytes += facts.size;
    if (!facts.isFile()) continue;
    const hash = createHash('md5');
    await pipeline(createReadStream(path), hash);
    lines.push(`${hash.digest('hex')}  ${relative(folder, path)}\n`);
  }
  return { sums: lines.join(''), bytes };
}

/**
 * Throws a SetupError if a step has failed.
 *
 * @param {Promise<import('../../run.mjs').RunResult>} running
 * @param {string} out
 */
async function must(running, out) {
  const { code, output } = await running;
  if (code !== 0) throw new SetupError(`${out} could not be built (${lastLines(output)}).`);
}
