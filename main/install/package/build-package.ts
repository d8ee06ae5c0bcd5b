import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { stripAnsi } from '#shared/text/ansi.ts';
import type { BuildOptions } from './find-package.ts';

/** Number of last lines of the build's output that explain a failure. */
const LAST_LINES = 3;

/**
 * Returns a function that builds the master's packages with the checkout's own build script. A build takes one to two
 * minutes. The function rejects with PACKAGE_MISSING if the build fails, or with the signal's abort reason.
 *
 * @param checkout root folder of the checkout
 * @param node program of Node.js. The app's own Node.js may be too old for the script.
 */
export function buildFrom(checkout: string, node: string): (options: BuildOptions) => Promise<void> {
  return ({ file, signal, report }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const child = spawn(node, [join(checkout, 'build', 'dist.mjs'), '--master'], {
        cwd: checkout,
        stdio: ['ignore', 'pipe', 'pipe'],
        // The script gets its own process group, so that a cancellation also ends the programs that it has started.
        detached: process.platform !== 'win32',
      });
      const last: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          const text = stripAnsi(line).trim();
          if (text === '') return;
          last.push(text);
          if (last.length > LAST_LINES) last.shift();
          report(text);
        });
      }
      const onAbort = () => endGroup(child.pid);
      signal.addEventListener('abort', onAbort, { once: true });
      const fail = (why: string, cause?: unknown) =>
        reject(new OverworldError('PACKAGE_MISSING', { file, why }, cause));
      child.once('error', (error) => fail(`the build could not be started (${error.message})`, error));
      child.once('close', (code) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
        else if (code === 0) resolve();
        else fail(`the build failed: ${last.join(' ')}`);
      });
    });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch (error) {
    // The process has just exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
