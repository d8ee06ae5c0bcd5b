import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runApp } from './app.mjs';
import { isPng } from './png.mjs';
import { setUp } from './set-up/set-up.mjs';
import { SetupError } from './steps.mjs';

/** Time limit of a screenshot (ms). The app starts its master and a first connection before the dashboard is live. */
const screenshotTimeoutMs = 180_000;

/**
 * Sets up what is missing, builds what has changed, opens the app, and waits until it is closed. With `--screenshot
 * FILE` the app saves a picture of its live dashboard and exits.
 *
 * @param {string[]} args of `npm start --`: unknown ones are passed to the app
 * @returns {Promise<number>} exit code
 * @throws {SetupError}
 */
export async function start(args) {
  const { screenshot, rest } = readArguments(args);
  await setUp();
  return screenshot === null ? runApp(rest) : saveScreenshot(screenshot, rest);
}

/**
 * Separates `--screenshot FILE` from the arguments for the app.
 *
 * @param {string[]} args
 * @returns {{ screenshot: string | null, rest: string[] }} `screenshot`: absolute path, or null without the switch;
 *   `rest`: the arguments for the app
 */
export function readArguments(args) {
  const { tokens } = parseArgs({
    args,
    options: { screenshot: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  const ours = tokens.filter((token) => token.kind === 'option').find((token) => token.name === 'screenshot');
  if (ours === undefined) return { screenshot: null, rest: args };
  const isSwitch = !ours.inlineValue && ours.value?.startsWith('-') === true;
  if (ours.value === undefined || ours.value === '' || isSwitch) {
    throw new SetupError('"--screenshot" lacks the file to write: npm start -- --screenshot FILE');
  }
  // npm changes the working directory to the project's folder, but a person means a path relative to their own.
  const base = process.env['INIT_CWD'] ?? process.cwd();
  const used = ours.inlineValue ? 1 : 2;
  return { screenshot: resolve(base, ours.value), rest: args.toSpliced(ours.index, used) };
}

/**
 * Runs the app until it has saved a screenshot.
 *
 * @param {string} file absolute
 * @param {readonly string[]} rest further switches for the app
 * @returns {Promise<number>}
 */
async function saveScreenshot(file, rest) {
  mkdirSync(dirname(file), { recursive: true });
  // The picture is first saved beside its destination, so that an existing picture stays until the new one is complete.
  const making = `${file}.${process.pid}.png`;
  try {
    const code = await runApp([`--screenshot=${making}`, ...rest], { timeoutMs: screenshotTimeoutMs });
    if (code !== 0) return code;
    if (!isPng(making)) {
      throw new SetupError(
        `The app ended without a picture for ${file}; start it without --screenshot to see why.`,
      );
    }
    renameSync(making, file);
    console.log(`${'screenshot'.padEnd(16)}${file}`);
    return 0;
  } finally {
    rmSync(making, { force: true });
  }
}
