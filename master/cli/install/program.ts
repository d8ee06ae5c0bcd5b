import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, cp, lstat, mkdir, readdir, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { VERSION } from '#shared/version.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushDisk } from '../machine/flush-disk.ts';
import { runProgram } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';

/** Folder of the installed program. The master's unit contains this path. */
export const PROGRAM_FOLDER = '/usr/lib/overworld-master';

/** New copy of the program, while it is not complete yet. */
const MADE = `${PROGRAM_FOLDER}.new`;

/** The old program, while it is being replaced. */
const OLD = `${PROGRAM_FOLDER}.old`;

/** Links to files of the program. The Debian package has these files in their own folders instead. */
const LINKS: readonly (readonly [path: string, file: string])[] = [
  ['/usr/local/bin/overworld-master', 'bin/overworld-master'],
  ['/usr/local/share/man/man1/overworld-master.1', 'overworld-master.1'],
  ['/usr/local/share/bash-completion/completions/overworld-master', 'completions/overworld-master.bash'],
  ['/usr/local/share/zsh/site-functions/_overworld-master', 'completions/_overworld-master'],
  ['/usr/local/share/fish/vendor_completions.d/overworld-master.fish', 'completions/overworld-master.fish'],
];

/** Place from which this program was started: the installed copy, or the unpacked tar.gz. */
export type ProgramOrigin =
  { readonly kind: 'installed' } | { readonly kind: 'unpacked'; readonly folder: string };

/**
 * Returns the place from which this program was started.
 *
 * @param script path of the program's main file
 * @throws OverworldError MACHINE_UNSUITABLE if the program is neither installed nor an unpacked tar.gz
 */
export async function findOrigin(script = process.argv[1] ?? ''): Promise<ProgramOrigin> {
  const folder = dirname(await realpath(script));
  const installed = await realpath(PROGRAM_FOLDER).catch(() => PROGRAM_FOLDER);
  if (folder === installed) return { kind: 'installed' };
  if ((await exists(join(folder, 'bin/node'))) && (await exists(unitFile(folder))))
    return { kind: 'unpacked', folder };
  const why = `${folder} is neither the installed package nor an unpacked tar.gz of the master`;
  throw unsuitable(why, 'Install a package of the master: docs/installation.md.');
}

/** Returns the path of the unit file in a folder of the program. The Debian package has its unit file elsewhere. */
export function unitFile(folder: string): string {
  return join(folder, 'system/overworld-master.service');
}

/**
 * Installs an unpacked program: copies it to {@link PROGRAM_FOLDER}, and creates the links to its command, manual
 * page and completions. The copy is complete before it replaces an earlier one.
 *
 * @throws OverworldError MACHINE_UNSUITABLE if dpkg has installed a program there, or another version is there;
 *   COMMAND_FAILED
 */
export async function installProgram(folder: string): Promise<StepOutcome> {
  await refuseOthers();
  // An installation that was killed may have left these folders.
  for (const path of [MADE, OLD]) await rm(path, { recursive: true, force: true });
  const copied = !(await isSameTree(folder, PROGRAM_FOLDER));
  if (copied) await replaceProgram(folder);
  let linked = false;
  for (const [path, file] of LINKS) {
    if (await ensureLink(path, join(PROGRAM_FOLDER, file))) linked = true;
  }
  if (!copied && !linked)
    return { status: 'unchanged', detail: `Version ${VERSION} is in ${PROGRAM_FOLDER}.` };
  return { status: 'done', detail: `Copied version ${VERSION} to ${PROGRAM_FOLDER}.` };
}

async function refuseOthers(): Promise<void> {
  const upgrade = 'Update it with: overworld-master upgrade FILE';
  const deb = await runProgram('dpkg-query', ['-W', '-f', '${db:Status-Status}', 'overworld-master']);
  if (deb.code === 0 && deb.stdout === 'installed')
    throw unsuitable(`${PROGRAM_FOLDER} belongs to the Debian package overworld-master`, upgrade);
  const installed = await runProgram(join(PROGRAM_FOLDER, 'bin/node'), [
    join(PROGRAM_FOLDER, 'index.js'),
    '--version',
  ]);
  // A copy that does not run is replaced.
  const version = installed.code === 0 ? installed.stdout.trim() : VERSION;
  if (version !== VERSION)
    throw unsuitable(`version ${version} is installed, and this is version ${VERSION}`, upgrade);
}

async function replaceProgram(folder: string): Promise<void> {
  await cp(folder, MADE, { recursive: true });
  await setModes(MADE);
  // Otherwise a power failure after the renames could leave empty files.
  await flushDisk(MADE);
  if (await exists(PROGRAM_FOLDER)) await rename(PROGRAM_FOLDER, OLD);
  await rename(MADE, PROGRAM_FOLDER);
  await syncFolder(dirname(PROGRAM_FOLDER));
  await rm(OLD, { recursive: true, force: true });
}

/** Makes the program readable for the master's user, regardless of the umask with which it was unpacked. */
async function setModes(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || entry.parentPath === join(folder, 'bin');
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}

/**
 * Creates or corrects a link. Returns whether anything was changed. If an admin has put a file at the path, the file
 * stays.
 */
async function ensureLink(path: string, target: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found !== null && !found.isSymbolicLink()) return false;
  if (found !== null && (await readlink(path)) === target) return false;
  await rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await symlink(target, path);
  return true;
}

/** Returns whether two folders contain the same files with the same content. */
async function isSameTree(a: string, b: string): Promise<boolean> {
  if (!(await exists(b))) return false;
  const [ofA, ofB] = await Promise.all([filesIn(a), filesIn(b)]);
  if (ofA.join('\n') !== ofB.join('\n')) return false;
  for (const file of ofA) {
    if ((await digestOf(join(a, file))) !== (await digestOf(join(b, file)))) return false;
  }
  return true;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

function unsuitable(why: string, advice: string): OverworldError {
  return new OverworldError('MACHINE_UNSUITABLE', { why, advice });
}
