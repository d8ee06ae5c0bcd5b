import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const projectFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const sourceFolder = join(projectFolder, 'build/practice-server/src');
const mainClass = 'overworld.practice.PracticeServer';
/** All entries carry this time, so that the same sources give the same bytes. */
const entryTime = '2025-01-01T00:00:00Z';
/** Warnings that fail the build; named one by one, so that a newer compiler's new ones do not. */
const warnings = '-Xlint:cast,deprecation,fallthrough,finally,overrides,rawtypes,serial,static,try,unchecked';

/**
 * Builds the practice server's jar from its Java sources; needs a JDK 17 or newer, makes Java 11 byte code. Does nothing
 * when the jar was made from the same inputs already. The jar appears by one rename: never half of it, and several
 * builds at once do not disturb each other.
 *
 * @param {{ outFile?: string }} [options] where to put the jar; `dist/practice-server.jar` by default
 * @returns {Promise<string>} the jar's absolute path
 * @throws {Error} with a sentence for the developer when there is no JDK or the sources do not compile
 */
export async function buildPracticeServer({ outFile } = {}) {
  const jar = resolve(outFile ?? join(projectFolder, 'dist/practice-server.jar'));
  const stampFile = `${jar}.inputs`;
  const sources = await listSources();
  const version = await projectVersion();
  const stamp = await stampOf(sources, version);
  if ((await contentOf(stampFile)) === `${stamp} ${await digestOf(jar)}\n`) return jar;

  await mkdir(dirname(jar), { recursive: true });
  const work = await mkdtemp(join(dirname(jar), '.practice-server-'));
  try {
    const built = await compile(sources, version, work);
    const digest = await digestOf(built);
    await rename(built, jar);
    await writeFile(join(work, 'inputs'), `${stamp} ${digest}\n`);
    await rename(join(work, 'inputs'), stampFile);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return jar;
}

/** @returns {Promise<string[]>} absolute paths, sorted */
async function listSources() {
  const entries = await readdir(sourceFolder, { recursive: true });
  return entries
    .filter((name) => name.endsWith('.java'))
    .map((name) => join(sourceFolder, name))
    .sort();
}

async function projectVersion() {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8'));
  return version;
}

/**
 * Names all that the jar depends on, this script included.
 *
 * @param {string[]} sources
 * @param {string} version
 */
async function stampOf(sources, version) {
  const hash = createHash('sha256').update(version);
  for (const path of [...sources, fileURLToPath(import.meta.url)]) {
    hash.update(`\0${relative(projectFolder, path)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** @param {string} path */
async function digestOf(path) {
  const content = await readFile(path).catch(() => null);
  return content === null ? 'missing' : createHash('sha256').update(content).digest('hex');
}

/** @param {string} path */
async function contentOf(path) {
  return readFile(path, 'utf8').catch(() => null);
}

/**
 * @param {string[]} sources
 * @param {string} version
 * @param {string} work folder to build in
 * @returns {Promise<string>} the jar
 */
async function compile(sources, version, work) {
  const classes = join(work, 'classes');
  await jdk('javac', [
    '--release',
    '11',
    '-encoding',
    'UTF-8',
    '-proc:none',
    '-Werror',
    warnings,
    '-d',
    classes,
    ...sources,
  ]);

  const manifest = join(work, 'MANIFEST.MF');
  // Created-By is fixed, as the jar tool would put in the JDK's version.
  await writeFile(
    manifest,
    [
      'Manifest-Version: 1.0',
      'Created-By: Overworld build',
      `Main-Class: ${mainClass}`,
      'Implementation-Title: Overworld practice server',
      `Implementation-Version: ${version}`,
      '',
    ].join('\n'),
  );
  // Entries one by one, in this order: the order of a folder's listing differs from machine to machine.
  const entries = (await readdir(classes, { recursive: true }))
    .filter((name) => name.endsWith('.class'))
    .sort();
  const jar = join(work, 'practice-server.jar');
  await jdk('jar', [
    '--create',
    `--file=${jar}`,
    `--manifest=${manifest}`,
    `--date=${entryTime}`,
    ...entries.flatMap((entry) => ['-C', classes, entry.split(sep).join('/')]),
  ]);
  return jar;
}

/**
 * Runs one of the JDK's tools: of JAVA_HOME if that is set, else the one on the path.
 *
 * @param {string} tool
 * @param {string[]} args
 */
async function jdk(tool, args) {
  const home = process.env['JAVA_HOME'];
  const command = home ? join(home, 'bin', tool) : tool;
  try {
    await run(command, args, { timeout: 120_000 });
  } catch (cause) {
    const { code, stderr, message } = /** @type {Error & { code?: string | number, stderr?: string }} */ (
      cause
    );
    throw new Error(
      code === 'ENOENT'
        ? `The practice server cannot be built: no ${command} was found. Install a JDK (17 or newer), for example with: apt-get install default-jdk-headless`
        : `The practice server cannot be built: ${tool} failed: ${stderr || message}`,
      { cause },
    );
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildPracticeServer());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
