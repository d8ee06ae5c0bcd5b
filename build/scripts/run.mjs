import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] working directory; default: the project's folder
 * @property {NodeJS.ProcessEnv} [env] the program's whole environment; default: that of this process
 * @property {number} [timeoutMs] time after which the program is killed (ms); `code` is null then; default: no limit
 * @property {boolean} [gently] runs the program with low priority
 * @property {boolean} [show] passes the output on to the terminal instead of collecting it
 * @property {string} [label] with `show`: prefix of each line of output, for programs that run at the same time
 *
 * @typedef {object} RunResult
 * @property {number | null} code exit code; null if the program did not start, was killed, or exceeded the time limit
 * @property {string} output stdout and stderr in the sequence in which they arrived; empty with `show`
 */

/**
 * Runs a program until it exits. Never throws: the result also reports a missing or crashed program.
 *
 * @param {string} command name in PATH or absolute path
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<RunResult>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: options.show === true && options.label === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
    });
    // A program that did not start has no pid.
    if (options.gently === true && child.pid !== undefined)
      setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString());
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      if (options.show !== true) stream.on('data', collect);
      else createInterface(stream).on('line', (line) => console.log(`${options.label} ${line}`.trimEnd()));
    }
    child.on('error', (error) => resolve({ code: null, output: `${output}${error.message}` }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * Returns the last lines of a program's output as one line. They usually contain the reason of a failure.
 *
 * @param {string} output
 * @param {number} [count] number of lines
 */
export function lastLines(output, count = 3) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .slice(-count)
    .join(' | ');
}

/**
 * Returns npm's error message as one line, without prefixes and hints about logs and help.
 *
 * @param {string} output
 */
export function npmReason(output) {
  const reasons = output
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .map((line) => line.replace('npm error', '').trim())
    .filter(
      (line) => line !== '' && !/complete log|npm help|^(errno|syscall|path|network This is)/.test(line),
    );
  return reasons.length === 0 ? lastLines(output) : reasons.slice(0, 3).join(' | ');
}

/**
 * Runs npm. Uses the npm that has started this process, so that the versions are equal. If npm has not started it, uses
 * the npm in PATH.
 *
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export function npm(args, options) {
  const script = process.env['npm_execpath'];
  if (script !== undefined && script.endsWith('npm-cli.js')) {
    return run(process.execPath, [script, ...args], options);
  }
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}
