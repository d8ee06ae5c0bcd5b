import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { openDisplay } from './display.mjs';
import { electronRuntime } from './electron/runtime.mjs';
import { withSignals } from './interrupt.mjs';
import { root } from './paths.mjs';
import { SetupError } from './steps.mjs';

/**
 * Time after which an app that was asked to quit is killed (ms). The services of the app's master need a moment to
 * stop.
 */
const endTimeoutMs = 30_000;

/** Harmless messages of Chromium on machines without a desktop. */
const noise =
  /ERROR:(bus|viz_main_impl|gpu_process_host|object_proxy|command_buffer_proxy_impl)\.cc|Gtk-WARNING|^\s*$/;

/** Part of the message that Chromium prints if the current user may not use its sandbox. */
const sandboxRefused = 'SUID sandbox helper';

/**
 * Returns the command-line switches that every Electron needs on this machine.
 *
 * @returns {string[]}
 */
export function machineSwitches() {
  const switches = [];
  // Chromium refuses to run as root with its sandbox on.
  if (process.getuid?.() === 0) switches.push('--no-sandbox');
  if (!process.env['DISPLAY'] && process.env['WAYLAND_DISPLAY']) switches.push('--ozone-platform=wayland');
  return switches;
}

/**
 * Returns the environment for the app. Without a UTF-8 locale, as on a bare server, Chromium supports only ASCII file
 * names: a dropped `Größe.txt` would not be found.
 *
 * @param {NodeJS.ProcessEnv} env environment of this process
 * @returns {Record<string, string>}
 */
export function appEnvironment(env) {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const kept = Object.entries(env).flatMap(([name, value]) => {
    // Editors based on Electron set ELECTRON_RUN_AS_NODE in their terminals. It would make our Electron run as plain
    // Node.js.
    return value === undefined || name === 'ELECTRON_RUN_AS_NODE' ? [] : [[name, value]];
  });
  return Object.fromEntries(/utf-?8/i.test(locale) ? kept : [...kept, ['LC_ALL', 'C.UTF-8']]);
}

/**
 * Opens the built app and waits until it is closed. On Ctrl+C, asks the app to quit. If a virtual display was needed,
 * closes it afterwards.
 *
 * @param {readonly string[]} args for the app
 * @param {{ timeoutMs?: number }} [options] time limit after which the app is asked to quit; none by default
 * @returns {Promise<number>} the app's exit code; 130 after Ctrl+C
 * @throws {SetupError} if the app does not start or exceeds the time limit
 */
export async function runApp(args, { timeoutMs } = {}) {
  const display = await openDisplay();
  const switches = machineSwitches();
  if (switches.includes('--no-sandbox')) {
    console.log(
      `${'sandbox'.padEnd(16)}off, as you are root (--no-sandbox): as another user the app runs with it`,
    );
  }
  try {
    return await waitForApp(
      [root, ...switches, ...args],
      appEnvironment({ ...process.env, ...display.env }),
      timeoutMs,
    );
  } finally {
    display.stop();
  }
}

/**
 * Starts the app and waits for its exit. Asks it to quit at the time limit and on Ctrl+C. Kills it on the second
 * Ctrl+C, or if it has not exited after {@link endTimeoutMs}.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {number | undefined} timeoutMs time limit (ms); undefined: none
 * @returns {Promise<number>} the app's exit code; 130 after Ctrl+C
 */
function waitForApp(args, env, timeoutMs) {
  const child = spawn(electronRuntime().executable, args, { env, stdio: ['inherit', 'inherit', 'pipe'] });
  const sandbox = { refused: false };
  createInterface({ input: child.stderr }).on('line', (line) => {
    sandbox.refused ||= line.includes(sandboxRefused);
    if (!noise.test(line)) console.error(line);
  });

  let told = false;
  const end = () => {
    child.kill(told ? 'SIGKILL' : 'SIGTERM');
    told = true;
    setTimeout(() => child.kill('SIGKILL'), endTimeoutMs).unref();
  };
  return withSignals(end, () => {
    return new Promise((resolve, reject) => {
      let late = false;
      const limit = () => {
        late = true;
        end();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(limit, timeoutMs);
      child.once('error', (cause) => {
        reject(
          new SetupError(
            `The app could not be started (${cause.message}); run "npm run build" and start again.`,
            { cause },
          ),
        );
      });
      child.once('close', (code) => {
        clearTimeout(timer);
        const failure = late ? tooLate(timeoutMs) : sandbox.refused && code !== 0 ? noSandbox() : null;
        if (failure !== null) reject(failure);
        else resolve(told ? 130 : (code ?? 1));
      });
    });
  });
}

/**
 * Returns the error for an app that exceeds its time limit.
 *
 * @param {number | undefined} timeoutMs
 */
function tooLate(timeoutMs = 0) {
  return new SetupError(
    `The app did not finish within ${timeoutMs / 1000} s and was stopped. Start it without --screenshot to see what it shows.`,
  );
}

function noSandbox() {
  return new SetupError(
    'This system does not allow the sandbox in which the app runs its window. Allow unprivileged user namespaces (on Ubuntu: "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0") and start again.',
  );
}
