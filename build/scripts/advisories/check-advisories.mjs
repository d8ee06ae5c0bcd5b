import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openPromise } from 'yauzl';
import { root, testPeers } from '../paths.mjs';
import { SetupError } from '../steps.mjs';
import { findingsOf, lockedPackages } from './affected.mjs';

/**
 * Compares the packages of the lock files with a copy of the OSV database. Prints the packages that a known advisory
 * affects. Needs no network.
 *
 * @param {readonly string[]} args path of the copy: a folder with JSON files, or a zip file with them such as OSV's
 *   `all.zip`. Default: OVERWORLD_OSV
 * @param {{ locks?: readonly string[], print?: (line: string) => void }} [options] `locks`: lock files of npm
 * @returns {Promise<number>} 1 if a package is affected, else 0
 * @throws {SetupError} if the copy is missing, or contains no advisory for npm
 */
export async function checkAdvisories([given, ...more], { locks = lockFiles(), print = console.log } = {}) {
  const copy = copyAt(given ?? process.env['OVERWORLD_OSV'] ?? '', more);
  const packages = locks.flatMap((path) => lockedPackages(JSON.parse(readFileSync(path, 'utf8'))));
  /** @type {Map<string, string[]>} */
  const versionsOf = new Map();
  for (const { name, version } of packages) versionsOf.set(name, [...(versionsOf.get(name) ?? []), version]);
  let advisories = 0;
  const findings = new Map();
  for await (const content of statSync(copy).isDirectory() ? filesOf(copy) : entriesOf(copy)) {
    const advisory = parse(content);
    if (advisory === null) continue;
    advisories += 1;
    for (const found of findingsOf(advisory, versionsOf)) {
      findings.set(`${found.name}@${found.version} ${found.id}`, found);
    }
  }
  // Otherwise a wrong folder would look like a clean result.
  if (advisories === 0) throw new SetupError(`"${copy}" contains no advisory in OSV's format.`);
  const table = [...findings.values()].sort(
    (a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id),
  );
  for (const { name, version, id, severity, fixed, summary } of table) {
    print(
      [`${name}@${version}`.padEnd(36), id.padEnd(22), severity.padEnd(10), fixed.padEnd(12), summary].join(
        ' ',
      ),
    );
  }
  print(`${versionsOf.size} packages, ${advisories} advisories: ${table.length} apply`);
  return table.length === 0 ? 0 : 1;
}

/**
 * Checks the arguments.
 *
 * @param {string} copy path of the copy
 * @param {readonly string[]} more further arguments, of which there must be none
 * @returns {string} the path
 */
function copyAt(copy, more) {
  if (copy === '' || more.length > 0 || !existsSync(copy)) {
    throw new SetupError(
      `${copy === '' ? 'The copy of the OSV database' : `"${copy}"`} is missing; call "npm run advisories -- FOLDER" with a folder of its JSON files for npm, or with its all.zip.`,
    );
  }
  return copy;
}

/** Returns the lock files of the project. */
function lockFiles() {
  return [root, testPeers]
    .map((folder) => join(folder, 'package-lock.json'))
    .filter((path) => existsSync(path));
}

/**
 * Reads the JSON files of a folder.
 *
 * @param {string} folder
 */
async function* filesOf(folder) {
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.endsWith('.json')) yield await readFile(join(folder, name), 'utf8');
  }
}

/**
 * Reads the JSON files of a zip file.
 *
 * @param {string} path
 */
async function* entriesOf(path) {
  const zip = await openPromise(path);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('.json')) yield await text(await zip.openReadStreamPromise(entry));
    }
  } finally {
    zip.close();
  }
}

/**
 * Parses an OSV entry. Null if the text is something else.
 *
 * @param {string} content
 * @returns {import('./affected.mjs').Advisory | null}
 */
function parse(content) {
  try {
    const advisory = JSON.parse(content);
    return typeof advisory?.id === 'string' && Array.isArray(advisory.affected) ? advisory : null;
  } catch {
    return null;
  }
}
