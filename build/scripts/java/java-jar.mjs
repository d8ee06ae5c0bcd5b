import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../paths.mjs';
import { SetupError } from '../steps.mjs';

const run = promisify(execFile);
/** Modification time of all entries of the jar, so that the same sources give the same bytes. */
const entryTime = '2025-01-01T00:00:00Z';
/**
 * Compiler warnings that fail the build. They are listed one by one, so that warnings that a newer compiler adds do not
 * fail it.
 */
const warnings = '-Xlint:cast,deprecation,fallthrough,finally,overrides,rawtypes,serial,static,try,unchecked';

/**
 * Description of a jar to build.
 *
 * @typedef {object} JarPlan
 * @property {string} what name of the jar in messages, such as `The practice server`
 * @property {string} outFile absolute path of the jar
 * @property {readonly string[]} sources folders with the Java sources of the jar
 * @property {readonly string[]} [seen] folders with sources that the jar's own sources refer to; they are not included
 *   in the jar
 * @property {readonly string[]} [resources] folders with text files for the jar; `${version}` is replaced with the
 *   project's version
 * @property {string} title `Implementation-Title` of the manifest
 * @property {string} [mainClass]
 */

/**
 * Builds a jar from Java sources. Needs JDK 17 or newer, and produces byte code for Java 11. Does nothing if the jar
 * was built from the same inputs. The jar is put in place with one rename, so that it is never partial and parallel
 * builds do not interfere.
 *
 * @param {JarPlan} plan
 * @returns {Promise<string>} the jar's absolute path
 * @throws {SetupError} if there is no JDK or the sources do not compile
 */
export async function buildJar(plan) {
  const jar = plan.outFile;
  const stampFile = `${jar}.inputs`;
  const version = await projectVersion();
  const stamp = await stampOf(plan, version);
  if ((await contentOf(stampFile)) === `${stamp} ${await digestOf(jar)}\n`) return jar;

  await mkdir(dirname(jar), { recursive: true });
  const work = await mkdtemp(join(dirname(jar), '.jar-'));
  try {
    const built = await compile(plan, version, work);
    const digest = await digestOf(built);
    await rename(built, jar);
    await writeFile(join(work, 'inputs'), `${stamp} ${digest}\n`);
    await rename(join(work, 'inputs'), stampFile);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return jar;
}

/**
 * Lists all files in folders.
 *
 * @param {readonly string[]} folders
 * @returns {Promise<string[]>} absolute paths of all files, sorted within each folder
 */
async function filesIn(folders) {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      if (!existsSync(folder)) return [];
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
    }),
  );
  return lists.flat();
}

async function projectVersion() {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return version;
}

/**
 * Returns a digest of everything that the jar depends on, including this script.
 *
 * @param {JarPlan} plan
 * @param {string} version
 */
async function stampOf({ sources, seen = [], resources = [], title, mainClass = '' }, version) {
  const hash = createHash('sha256').update(`${version}\0${title}\0${mainClass}`);
  for (const path of [
    ...(await filesIn([...sources, ...seen, ...resources])),
    fileURLToPath(import.meta.url),
  ]) {
    hash.update(`\0${relative(root, path)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/**
 * Returns the digest of a file, or `missing`.
 *
 * @param {string} path
 */
async function digestOf(path) {
  const content = await readFile(path).catch(() => null);
  return content === null ? 'missing' : createHash('sha256').update(content).digest('hex');
}

/**
 * Reads a text file. Null if it cannot be read.
 *
 * @param {string} path
 */
async function contentOf(path) {
  return readFile(path, 'utf8').catch(() => null);
}

/**
 * Compiles the sources and packs them with the resources and a manifest.
 *
 * @param {JarPlan} plan
 * @param {string} version
 * @param {string} work folder to build in
 * @returns {Promise<string>} the jar
 */
async function compile({ what, sources, seen = [], resources = [], title, mainClass }, version, work) {
  const classes = join(work, 'classes');
  const files = (await filesIn(sources)).filter((name) => name.endsWith('.java'));
  // These sources are read only for their types; `-implicit:none` generates no byte code for them.
  const seenPath = seen.length === 0 ? [] : ['-sourcepath', seen.join(delimiter), '-implicit:none'];
  const checks = ['-encoding', 'UTF-8', '-proc:none', '-Werror', warnings];
  await jdk(what, 'javac', ['--release', '11', ...checks, ...seenPath, '-d', classes, ...files]);
  for (const folder of resources) await addResources(folder, classes, version);

  const manifest = join(work, 'MANIFEST.MF');
  // Created-By is fixed, because the jar tool would insert the JDK's version.
  const lines = ['Manifest-Version: 1.0', 'Created-By: Overworld build'];
  if (mainClass !== undefined) lines.push(`Main-Class: ${mainClass}`);
  lines.push(`Implementation-Title: ${title}`, `Implementation-Version: ${version}`, '');
  await writeFile(manifest, lines.join('\n'));
  // Entries are sorted, because the order of a folder's listing differs between machines.
  const entries = (await filesIn([classes])).map((path) => relative(classes, path)).sort();
  const jar = join(work, 'built.jar');
  await jdk(what, 'jar', [
    '--create',
    `--file=${jar}`,
    `--manifest=${manifest}`,
    `--date=${entryTime}`,
    ...entries.flatMap((entry) => ['-C', classes, entry.split(sep).join('/')]),
  ]);
  return jar;
}

/**
 * Copies the text files of a folder, and replaces `${version}` with the project's version.
 *
 * @param {string} folder
 * @param {string} classes destination
 * @param {string} version
 */
async function addResources(folder, classes, version) {
  for (const path of await filesIn([folder])) {
    const target = join(classes, relative(folder, path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, (await readFile(path, 'utf8')).replaceAll('${version}', version));
  }
}

/**
 * Runs a tool of the JDK: from JAVA_HOME if that is set, otherwise from PATH.
 *
 * @param {string} what
 * @param {string} tool
 * @param {string[]} args
 */
async function jdk(what, tool, args) {
  const home = process.env['JAVA_HOME'];
  const command = home ? join(home, 'bin', tool) : tool;
  try {
    await run(command, args, { timeout: 120_000 });
  } catch (cause) {
    const { code, stderr, message } = /** @type {Error & { code?: string | number, stderr?: string }} */ (
      cause
    );
    throw new SetupError(
      code === 'ENOENT'
        ? `${what} cannot be built, because there is no ${command}; install a JDK (17 or newer), on Debian with "apt-get install default-jdk-headless", and start again.`
        : `${what} cannot be built: ${tool} failed: ${stderr || message}`,
      { cause },
    );
  }
}
