import { createRequire } from 'node:module';
import { join } from 'node:path';
import { declaredVersion, findOfficial } from './runtime.mjs';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { readStamp, writeStamp } from '../stamp.mjs';

/**
 * Time limit for the first response of the download server (ms). It is short, so that a machine without access does
 * not wait long.
 */
const probeTimeoutMs = 8_000;

/** Time limit of the download (ms): 120 MB on a slow network. */
const downloadTimeoutMs = 15 * 60_000;

/** Time after a failed download before the next attempt (ms). During this time, further starts are quick. */
const retryAfterMs = 60 * 60_000;

/**
 * Downloads the Electron version of package.json with Electron's own installer, which verifies the digest. Does not
 * print a failure, because there is a fallback. After a failure, further calls fail at once for an hour, unless
 * OVERWORLD_ELECTRON_RETRY=1 is set.
 *
 * @returns {Promise<{ ok: true } | { ok: false, why: string }>} `why`: the reason for the failure
 */
export async function downloadOfficial() {
  const note = join(cacheFolder(), `electron-${declaredVersion()}-failed`);
  const isForced = process.env['OVERWORLD_ELECTRON_RETRY'] === '1';
  const remembered = isForced ? null : recentFailure(readStamp(note), Date.now());
  if (remembered !== null) return { ok: false, why: remembered };
  const why = (await probe()) ?? (await install());
  if (why === null) return { ok: true };
  writeStamp(note, `${Date.now()} ${why}`);
  return { ok: false, why };
}

/**
 * Returns why the last download failed. Null if the last download succeeded, or if it failed more than an hour ago.
 *
 * @param {string | null} note record of the failure: its time (ms since epoch) and its reason
 * @param {number} now ms since epoch
 */
export function recentFailure(note, now) {
  const [, at, why] = /^(\d+) (.*)$/.exec(note ?? '') ?? [];
  const age = now - Number(at);
  // A time in the future comes from a clock that was wrong.
  return why !== undefined && age >= 0 && age < retryAfterMs ? why : null;
}

/**
 * Checks whether the download server responds. Skips the check if ELECTRON_GET_USE_PROXY is set, because Node.js's
 * `fetch` does not support proxies.
 *
 * @returns {Promise<string | null>} why the server cannot be reached; null if it can, or if this was not checked
 */
async function probe() {
  if (process.env['ELECTRON_GET_USE_PROXY'] !== undefined) return null;
  const mirror = process.env['npm_config_electron_mirror'] ?? process.env['ELECTRON_MIRROR'];
  const base = mirror ?? 'https://github.com/electron/electron/releases/download/';
  try {
    await fetch(base, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(probeTimeoutMs) });
    return null;
  } catch {
    return `${new URL(base).host} does not answer`;
  }
}

/**
 * Downloads Electron with its own installer.
 *
 * @returns {Promise<string | null>} why the download failed; null if it succeeded
 */
async function install() {
  const script = createRequire(join(root, 'package.json')).resolve('electron/install.js');
  const env = { ...process.env };
  delete env['ELECTRON_SKIP_BINARY_DOWNLOAD'];
  const { code, output } = await run(process.execPath, [script], { timeoutMs: downloadTimeoutMs, env });
  if (code === 0 && findOfficial() !== null) return null;
  const error = output.split('\n').find((line) => /error/i.test(line)) ?? lastLines(output, 1);
  return `the download failed: ${error.trim() || 'it took too long'}`;
}
