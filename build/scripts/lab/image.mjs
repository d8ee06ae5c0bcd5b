import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { hashOf } from '../stamp.mjs';
import { SetupError } from '../steps.mjs';
import { checkMirror, debianMirror } from './mirror.mjs';

const recipe = 'build/scripts/lab/make-image.sh';

/** Time limit for making the image (ms). It takes about 100 s on a fast network. */
const makeTimeoutMs = 15 * 60_000;

/** Returns the folder from which lab nodes boot, named after its recipe. It need not exist. */
export function imageFolder() {
  return join(imagesFolder(), hashOf(root, [recipe]).slice(0, 16));
}

/**
 * Makes the lab's base image unless it is in the cache: 700 MB, shared by all clones of a user.
 *
 * @param {{ timeoutMs?: number }} [options] for making the image
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
  // Shows a person who cleans up the cache which images are in use.
  const now = new Date();
  utimesSync(image, now, now);
  return 'ready';
}

/** @param {string} image @param {string} mirror @param {number} timeoutMs @throws {SetupError} */
async function makeImage(image, mirror, timeoutMs) {
  const half = `${image}.part`;
  const until = performance.now() + timeoutMs;
  // Mounts and processes of a partial image end with its namespaces; another run that needs the image waits for its
  // lock.
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
