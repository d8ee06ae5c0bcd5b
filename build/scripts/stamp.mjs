import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns a digest of the names and contents of files. Two calls return the same digest only if nothing has changed.
 *
 * @param {string} base folder that `paths` are relative to; not part of the digest
 * @param {readonly string[]} paths files, and folders with their content; a missing file or folder changes the
 *   digest, too
 * @returns {string} SHA-256, hex
 */
export function hashOf(base, paths) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, base, path);
  return hash.digest('hex');
}

/**
 * Adds the names and contents of a file, or of all files in a folder, to a hash.
 *
 * @param {import('node:crypto').Hash} hash
 * @param {string} base
 * @param {string} path
 */
function addTo(hash, base, path) {
  const full = join(base, path);
  const entries = listFolder(full);
  if (entries !== null) {
    for (const entry of entries) addTo(hash, base, `${path}/${entry}`);
    return;
  }
  hash.update(`${path}\0`);
  hash.update(existsSync(full) ? createHash('sha256').update(readFileSync(full)).digest() : 'missing');
}

/**
 * Returns the sorted names in a folder. Null if the path does not lead to a folder.
 *
 * @param {string} path
 */
function listFolder(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return null;
  }
}

/**
 * Returns the content of a stamp file. Null if the file does not exist.
 *
 * @param {string} file
 */
export function readStamp(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Writes a stamp file atomically. Call it last, when the output that the stamp describes is complete.
 *
 * @param {string} file
 * @param {string} text
 */
export function writeStamp(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${text}\n`);
  renameSync(temporary, file);
}

/**
 * Replaces a folder with a finished one. Readers see the old folder, then no folder for an instant, and then the
 * complete new folder.
 *
 * @param {string} from
 * @param {string} to on the same file system
 */
export function replaceFolder(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const old = `${to}.old-${process.pid}`;
  if (existsSync(to)) renameSync(to, old);
  renameSync(from, to);
  rmSync(old, { recursive: true, force: true });
}
