import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { hashOf } from '../stamp.mjs';
import { SetupError } from '../steps.mjs';
import { checkMirror, debianMirror } from './mirror.mjs';

const recipe = 'build/scripts/lab/make-image.sh';

/** The image has been made in 100 s; a slow network gets its time. */
const makeTimeoutMs = 15 * 60_000;

/** Folder that lab nodes boot from, named after its recipe; it need not exist. */
export function imageFolder() {
  return join(imagesFolder(), hashOf(root, [recipe]).slice(0, 16));
}

/**
 * Makes the lab's base image unless it is in the cache: 700 MB, once for all clones of a user.
 *
 * @param {{ timeoutMs?: number }} [options] for the making alone
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError}
 */
export async function ensureImage({ timeoutMs = makeTimeoutMs } = {}) {
  const image = imageFolder();
  mkdirSync(imagesFolder(), { recursive: true });
  if (!existsSync(image)) {
    const mirror = debianMirror();
    await checkMirror(mirror);
    console.log(`lab image       being made from ${mirror}: 2 minutes, with a slow network up to 15`);
    await makeImage(image, mirror, timeoutMs);
    return `image made in ${image}`;
  }
  // So that a person who tidies up sees which are in use.
  const now = new Date();
  utimesSync(image, now, now);
  return 'ready';
}

/** @param {string} image @param {string} mirror @param {number} timeoutMs @throws {SetupError} */
async function makeImage(image, mirror, timeoutMs) {
  const half = `${image}.part`;
  const until = performance.now() + timeoutMs;
  // Mounts and processes of a half-made image go with its namespaces; another run that wants it waits for its lock.
  const { code, output } = await run(
    'flock',
    [
      `${image}.lock`,
      ...['setpriv', '--pdeathsig', 'KILL'],
      ...['unshare', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...['sh', '-c', '[ -d "$1" ] && exit; rm -rf "$2"; "$3" "$2" "$4" && mv "$2" "$1"', 'sh'],
      ...[image, half, join(root, recipe), mirror],
    ],
    { timeoutMs },
  );
  if (code === 0 && existsSync(image)) return;
  const why =
    performance.now() < until
      ? lastLines(output)
      : `it was not done after ${Math.round(timeoutMs / 60_000)} min: ${lastLines(output, 1)}`;
  throw new SetupError(
    `The Debian image that lab nodes boot from could not be made from ${mirror} (${why}); check the network, or name another mirror in OVERWORLD_DEBIAN_MIRROR, then start again.`,
  );
}

function imagesFolder() {
  return join(cacheFolder(), 'lab');
}
