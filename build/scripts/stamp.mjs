import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Digest of files' names and contents: two calls agree exactly when nothing in them changed.
 *
 * @param {string} base folder that `paths` are relative to; not part of the digest
 * @param {readonly string[]} paths files and folders (taken with all in them); one that is missing counts as such
 * @returns {string} SHA-256, hex
 */
export function hashOf(base, paths) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, base, path);
  return hash.digest('hex');
}

/** @param {import('node:crypto').Hash} hash @param {string} base @param {string} path */
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

/** Names in a folder in a fixed order; null when it is no folder. @param {string} path */
function listFolder(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return null;
  }
}

/** What a stamp file says; null when there is none. @param {string} file */
export function readStamp(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Writes a stamp at once or not at all. Call it last, when what it vouches for is complete.
 *
 * @param {string} file @param {string} text
 */
export function writeStamp(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${text}\n`);
  renameSync(temporary, file);
}

/**
 * Puts a finished folder in its place; a reader sees the old one, for an instant none, then the new one whole.
 *
 * @param {string} from @param {string} to on the same file system
 */
export function replaceFolder(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const old = `${to}.old-${process.pid}`;
  if (existsSync(to)) renameSync(to, old);
  renameSync(from, to);
  rmSync(old, { recursive: true, force: true });
}
