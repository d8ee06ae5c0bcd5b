/**
 * Time limit for the first response of the download server (ms). It is short, so that a machine without access does
 * not wait long.
 */
const probeTimeoutMs = 8_000;

/** Address from which electron-builder downloads its tools. */
const tools = 'https://github.com/electron-userland/electron-builder-binaries/releases';

/**
 * Checks whether electron-builder can download its tools. Without access, electron-builder would keep trying for
 * minutes.
 *
 * @returns {Promise<string | null>} null if it can; otherwise the reason, as a clause
 */
export async function downloadsWork() {
  try {
    await fetch(tools, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(probeTimeoutMs) });
    return null;
  } catch {
    return `${new URL(tools).host} does not answer, from which electron-builder downloads its tools`;
  }
}
