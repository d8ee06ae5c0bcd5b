import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

/** SHA-256, bytes: stands before the compiled form in its file. */
const DIGEST_BYTES = 32;

/** What a CommonJS module is given by Node: exports, require, module, its file and its folder. */
type ModuleFunction = (
  this: unknown,
  ...given: [unknown, NodeJS.Require, { exports: unknown }, string, string]
) => void;

/** A program that runs, and V8's compiled form of it. */
export interface RunningProgram {
  /** `kept`: nothing had to be compiled; `made`: it had, as there was no compiled form that fits. */
  readonly compiled: 'kept' | 'made';
  /**
   * Writes the compiled form, with every function that has run so far in it, for the next start. Call it once the start
   * is over. V8 takes it again only under the same flags: those set on the way must be set before the program is read.
   *
   * @throws Error of the file system
   */
  keep(): void;
}

/**
 * Runs a built CommonJS program with what V8 made of it at an earlier start, so that nothing has to be compiled: a
 * third of the time that our main process and the master take to stand (docs/adr/0014).
 *
 * The compiled form is bound to the program by a digest over both, as V8 itself compares the length of the source only
 * and no sums; another version of V8, and other flags of it, V8 refuses itself. In all these cases it is compiled anew.
 *
 * @param file the program, absolute
 * @param folder where compiled forms are kept; of this user alone, as they are run
 */
export function runCompiled(file: string, folder: string): RunningProgram {
  const source = readFileSync(file);
  const path = join(folder, `${basename(dirname(file))}.bin`);
  const cachedData = readKept(path, source);
  const script = new Script(toModule(source.toString('utf8')), {
    filename: file,
    ...(cachedData === null ? {} : { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  // What the text evaluates to is the one function that toModule writes around it.
  const run = script.runInThisContext() as ModuleFunction;
  run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return {
    compiled: cachedData !== null && script.cachedDataRejected === false ? 'kept' : 'made',
    keep: () => writeKept(path, source, script.createCachedData()),
  };
}

/** On one line, so that lines in stacks are those of the file. A first line for the shell is left out. */
function toModule(source: string): string {
  const text = source.startsWith('#!') ? source.slice(source.indexOf('\n')) : source;
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

function readKept(path: string, source: Buffer): Buffer | null {
  let kept: Buffer;
  try {
    kept = readFileSync(path);
  } catch {
    // None yet, or one that cannot be read: without it the program only starts more slowly.
    return null;
  }
  const data = kept.subarray(DIGEST_BYTES);
  return digestOf(source, data).equals(kept.subarray(0, DIGEST_BYTES)) ? data : null;
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
