import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

/** Size of the SHA-256 digest at the start of a code cache file (bytes). */
const DIGEST_BYTES = 32;

/** The function that wraps a CommonJS module: exports, require, module, filename and dirname. */
type ModuleFunction = (
  this: unknown,
  ...given: [unknown, NodeJS.Require, { exports: unknown }, string, string]
) => void;

/** A running program, and its code cache. */
export interface RunningProgram {
  /**
   * How the program was loaded. `kept`: from a stored code cache. `made`: compiled, because no valid code cache was
   * stored.
   */
  readonly compiled: 'kept' | 'made';
  /**
   * Writes the code cache for the next start. The cache includes every function that has run so far, so call this
   * after startup. V8 accepts a code cache only under the flags with which it was written. So at this call, the flags
   * must be the same as when the next start reads the cache.
   *
   * @throws Error of the file system
   */
  keep(): void;
}

/**
 * Runs a built CommonJS program from the code cache of an earlier start (`cachedData` of `vm.Script`). This saves
 * the compilation, a third of the startup time of the main process and the master (docs/adr/0014).
 *
 * The cache file begins with a digest of program and cache, because V8 compares only the length of the source. V8
 * itself rejects a code cache of another V8 version or with other flags. If the digest differs or V8 rejects the
 * cache, the program is compiled.
 *
 * A code cache is executed. So it is used only if the cache file and its folder belong to this user, and no other
 * user can write to them (docs/adr/0043).
 *
 * @param file absolute path of the program
 * @param folder folder of code caches; '' uses none
 */
export function runCompiled(file: string, folder: string): RunningProgram {
  const source = readFileSync(file);
  const path = join(folder, `${basename(dirname(file))}.bin`);
  const cachedData = folder === '' ? null : readKept(path, source);
  const script = new Script(toModule(source.toString('utf8')), {
    filename: file,
    ...(cachedData === null ? {} : { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  // The script evaluates to the function in which `toModule` wraps the source.
  const run = script.runInThisContext() as ModuleFunction;
  run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return {
    compiled: cachedData !== null && script.cachedDataRejected === false ? 'kept' : 'made',
    keep: () => writeKept(path, source, script.createCachedData()),
  };
}

/** Wraps the source on one line, so that line numbers in stacks match the file. Removes a shebang line. */
function toModule(source: string): string {
  const text = source.startsWith('#!') ? source.slice(source.indexOf('\n')) : source;
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

function readKept(path: string, source: Buffer): Buffer | null {
  let kept: Buffer;
  try {
    if (!isPrivate(dirname(path)) || !isPrivate(path)) return null;
    kept = readFileSync(path);
  } catch {
    // The code cache does not exist or is unreadable; the program only starts more slowly.
    return null;
  }
  const data = kept.subarray(DIGEST_BYTES);
  return digestOf(source, data).equals(kept.subarray(0, DIGEST_BYTES)) ? data : null;
}

/**
 * Returns whether only this user can write to a file or folder. Returns false for a link, because the owner of a link
 * says nothing about its target. Returns true on Windows, where a user's folders are private by default and modes do
 * not exist.
 */
function isPrivate(path: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = lstatSync(path);
  return uid === process.getuid() && (mode & 0o022) === 0 && (mode & 0o170000) !== 0o120000;
}

function writeKept(path: string, source: Buffer, data: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const making = `${path}.${process.pid}`;
  writeFileSync(making, Buffer.concat([digestOf(source, data), data]), { mode: 0o600 });
  renameSync(making, path);
}

function digestOf(source: Buffer, data: Buffer): Buffer {
  return createHash('sha256').update(source).update(data).digest();
}
