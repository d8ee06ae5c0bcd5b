import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from './steps.mjs';

/**
 * A display on which programs can show windows.
 *
 * @typedef {object} Display
 * @property {NodeJS.ProcessEnv} env environment variables with which a program opens its windows on this display
 * @property {() => void} stop closes the display if it is a virtual one; may be called more than once
 */

/** Time limit for the start of a virtual display (ms), which usually takes a fraction of a second. */
const startTimeoutMs = 20_000;

/** Returns whether this process already has a display. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY']) || Boolean(process.env['WAYLAND_DISPLAY']);
}

/**
 * Returns the existing display, or starts a virtual one (Xvfb). Only programs with the cookie of the virtual display
 * may use it.
 *
 * @returns {Promise<Display>}
 * @throws {SetupError} if there is no display and none can be started
 */
export async function openDisplay() {
  if (hasDisplay()) return { env: {}, stop: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'overworld-display-'));
  const authority = join(folder, 'Xauthority');
  writeFileSync(authority, authorityEntry(), { mode: 0o600 });
  // Xvfb has a process group of its own, so that Ctrl+C does not stop it before the app. Without -noreset, it restarts
  // its session whenever its last client has left, and refuses clients during the restart.
  const screen = ['-screen', '0', '1920x1200x24', '-noreset'];
  // If another Xvfb runs in another network namespace, this Xvfb cannot see that a number is in use, and would replace
  // the socket of the other display. So the number is random.
  const number = `:${randomInt(100, 50_000)}`;
  const args = [number, '-displayfd', '3', ...screen, '-nolisten', 'tcp', '-auth', authority];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true });
  const stop = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  // Runs on every exit of this process except SIGKILL.
  process.once('exit', stop);
  try {
    const display = `:${await readNumber(server)}`;
    console.log(`${'display'.padEnd(16)}no screen here: using a virtual one (Xvfb ${display})`);
    server.unref();
    return { env: { DISPLAY: display, XAUTHORITY: authority }, stop };
  } catch (cause) {
    stop();
    throw new SetupError(
      'There is no screen here and no virtual one could be started; check that Xvfb runs, or start from a desktop.',
      { cause },
    );
  }
}

/**
 * Waits until Xvfb accepts clients.
 *
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>} the display number
 */
function readNumber(server) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Xvfb does not get ready')), startTimeoutMs);
    const pipe = /** @type {import('node:stream').Readable} */ (server.stdio[3]);
    let text = '';
    pipe.on('data', (/** @type {Buffer} */ chunk) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      pipe.destroy();
      resolve(text.trim());
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error('Xvfb ended')));
  }).finally(() => server.removeAllListeners('exit'));
}

/**
 * Returns the content of an Xauthority file with one random cookie. The cookie is valid for any host and display
 * number: big-endian family (FamilyWild), then address, number, name and data, each with its length (libXau, `man
 * Xau`).
 */
function authorityEntry() {
  const field = (/** @type {string | Buffer} */ value) => {
    const data = Buffer.from(value);
    return Buffer.concat([Buffer.from([data.length >> 8, data.length & 0xff]), data]);
  };
  const wild = Buffer.from([0xff, 0xff]);
  return Buffer.concat([wild, field(''), field(''), field('MIT-MAGIC-COOKIE-1'), field(randomBytes(16))]);
}
