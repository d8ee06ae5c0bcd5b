import { fileURLToPath } from 'node:url';
import { _electron } from 'playwright';
import { machineSwitches } from '../../../../build/scripts/app.mjs';
import { electronExecutable } from '../../../../build/scripts/electron/runtime.mjs';
import { root } from '../../../../build/scripts/paths.mjs';
import { pause } from '../clock.ts';
import { treePssMbOf } from '../process-cost.ts';

/** Maximum time of a launch on a busy machine (ms). */
const LAUNCH_TIMEOUT_MS = 60_000;

/** Memory counts as settled if two successive readings differ by less than this share (0–1). */
const SETTLED_PART = 0.01;
const LOOK_MS = 500;
/** Maximum number of readings. After this number, memory counts as settled in any case. */
const MOST_LOOKS = 12;

/** Electron app that can be started: a folder with a package.json, and command-line switches. */
export interface ElectronApp {
  readonly folder: string;
  readonly switches: readonly string[];
}

/**
 * Returns the built Overworld with its embedded master.
 *
 * @param data the app's data folder
 */
export function overworldApp(data: string): ElectronApp {
  return { folder: root, switches: [`--data=${data}`, '--window=1280x800', '--on-quit=stop'] };
}

/** Returns an app that shows a window with one word. Its figures are the cost of Electron itself. */
export function helloWorldApp(data: string): ElectronApp {
  const folder = fileURLToPath(new URL('../../hello-world', import.meta.url));
  return { folder, switches: [`--data=${data}`] };
}

export interface Launch {
  /** Time from the start of the process until the page reports that it is live (s). */
  readonly seconds: number;
  /** Memory of all processes of the app once it has settled (MB PSS). */
  readonly pssMb: number;
}

/** Starts an app once, measures its memory, and closes it. */
export async function launchOnce({ folder, switches }: ElectronApp): Promise<Launch> {
  const env = Object.fromEntries(
    // Editors that are based on Electron set ELECTRON_RUN_AS_NODE in their terminals. With this variable, our
    // Electron would run as plain Node.js.
    Object.entries(process.env).filter(([name]) => name !== 'ELECTRON_RUN_AS_NODE'),
  ) as Record<string, string>;
  const began = performance.now();
  const electron = await _electron.launch({
    executablePath: electronExecutable(),
    args: [folder, ...machineSwitches(), ...switches],
    env,
    timeout: LAUNCH_TIMEOUT_MS,
  });
  try {
    const window = await electron.firstWindow({ timeout: LAUNCH_TIMEOUT_MS });
    await window.waitForSelector('html[data-live="true"]', { state: 'attached', timeout: LAUNCH_TIMEOUT_MS });
    const seconds = (performance.now() - began) / 1000;
    const { pid } = electron.process();
    if (pid === undefined) throw new Error('the app has no process');
    return { seconds, pssMb: await settledPssMb(pid) };
  } finally {
    await electron.close();
  }
}

async function settledPssMb(pid: number): Promise<number> {
  let last = await treePssMbOf(pid);
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    await pause(LOOK_MS);
    const now = await treePssMbOf(pid);
    if (Math.abs(now - last) < SETTLED_PART * now) return now;
    last = now;
  }
  return last;
}
