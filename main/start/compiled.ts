import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

/** Size of the SHA-256 digest before the compiled form in its file (bytes). */
const DIGEST_BYTES = 32;

/** The function that wraps a CommonJS module: exports, require, module, filename and dirname. */
type ModuleFunction = (
  this: unknown,
  ...given: [unknown, NodeJS.Require, { exports: unknown }, string, string]
) => void;

/** A running program, and V8's compiled form of it. */
export interface RunningProgram {
  /** `kept`: a stored compiled form was used. `made`: none was valid, so the program was compiled. */
  readonly compiled: 'kept' | 'made';
  /**
   * Writes the compiled form, including every function that has run so far, for the next start. Call it after
   * startup. V8 accepts the form only under the same flags, so flags set during startup must be set before the
   * program is read.
   *
   * @throws Error of the file system
   */
  keep(): void;
}

/**
 * Runs a built CommonJS program from its compiled form of an earlier start. This saves the compilation, a third of
 * the startup time of the main process and the master (docs/adr/0014).
 *
 * A digest over both binds the compiled form to the program, because V8 compares only the length of the source. V8
 * itself rejects a form of another version or with other flags. In all these cases the program is compiled again.
 *
 * @param file absolute path of the program
 * @param folder folder of compiled forms; must be writable by this user only, because they are executed
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
  // The text evaluates to the one function that `toModule` wraps around it.
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
    kept = readFileSync(path);
  } catch {
    // The form does not exist or is unreadable; the program only starts more slowly.
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
