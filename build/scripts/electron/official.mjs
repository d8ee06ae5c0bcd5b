import { createRequire } from 'node:module';
import { join } from 'node:path';
import { declaredVersion, findOfficial } from './runtime.mjs';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { readStamp, writeStamp } from '../stamp.mjs';

/** How long the download server may take to answer at all. A machine without a way there should not wait. */
const probeTimeoutMs = 8_000;

/** How long the download itself may take once the server answers: 120 MB on a slow line. */
const downloadTimeoutMs = 15 * 60_000;

/** A failed download is not tried again before this, so that a second start is quick. */
const retryAfterMs = 24 * 60 * 60_000;

/**
 * Downloads the Electron that package.json declares with its own installer, which checks the digest.
 *
 * @returns {Promise<{ ok: true } | { ok: false, why: string }>} quiet about failure: there is a fallback.
 *   A failure is remembered for a day; OVERWORLD_ELECTRON_RETRY=1 forgets it.
 */
export async function downloadOfficial() {
  const note = join(cacheFolder(), `electron-${declaredVersion()}-failed`);
  const remembered = process.env['OVERWORLD_ELECTRON_RETRY'] === '1' ? null : readFailure(note);
  if (remembered !== null) return { ok: false, why: remembered };
  const why = (await probe()) ?? (await install());
  if (why === null) return { ok: true };
  writeStamp(note, `${Date.now()} ${why}`);
  return { ok: false, why };
}

/** Why the last download failed, if that was less than a day ago. @param {string} note */
function readFailure(note) {
  const [, at, why] = /^(\d+) (.*)$/.exec(readStamp(note) ?? '') ?? [];
  return why !== undefined && Date.now() - Number(at) < retryAfterMs ? why : null;
}

/**
 * Asks the download server whether it is there. Node's fetch knows no proxies, so with one configured the
 * installer is left to find out.
 *
 * @returns {Promise<string | null>} why not, or null
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

/** @returns {Promise<string | null>} why not, or null */
async function install() {
  const script = createRequire(join(root, 'package.json')).resolve('electron/install.js');
  const env = { ...process.env };
  delete env['ELECTRON_SKIP_BINARY_DOWNLOAD'];
  const { code, output } = await run(process.execPath, [script], { timeoutMs: downloadTimeoutMs, env });
  if (code === 0 && findOfficial() !== null) return null;
  const error = output.split('\n').find((line) => /error/i.test(line)) ?? lastLines(output, 1);
  return `the download failed: ${error.trim() || 'it took too long'}`;
}
