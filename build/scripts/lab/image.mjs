import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { appDebFacts } from '../packaging/app/app-deb.mjs';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { hashOf } from '../stamp.mjs';
import { SetupError } from '../steps.mjs';
import { checkMirror, debianMirror } from './mirror.mjs';

const recipe = 'build/scripts/lab/make-image.sh';

const appRecipe = 'build/scripts/lab/make-app-image.sh';

/** Time limit for making the image (ms). It takes about 100 s on a fast network. */
const makeTimeoutMs = 15 * 60_000;

/**
 * Returns the folder of the base image from which lab nodes boot. The folder's name depends on the recipe of the image.
 * The folder need not exist.
 */
export function imageFolder() {
  return join(imagesFolder(), hashOf(root, [recipe]).slice(0, 16));
}

/**
 * Returns the folder of the image of a bare Debian on which tests install the app's package. The folder's name depends
 * on the image's recipe and on the packages that the image keeps ready. The folder need not exist.
 */
export function appImageFolder() {
  const content = createHash('sha256').update(`${hashOf(root, [appRecipe])} ${appPackages().join(' ')}`);
  return join(imagesFolder(), `app-${content.digest('hex').slice(0, 16)}`);
}

/** Returns the Debian packages that the app's package depends on or recommends, without versions. */
function appPackages() {
  const { depends, recommends = [] } = appDebFacts('amd64');
  return [...depends, ...recommends].map((name) => name.replace(/ .*/, ''));
}

/**
 * Makes the lab's base image unless it is in the cache. The image has 700 MB, and all clones of a user share it.
 *
 * @param {{ timeoutMs?: number }} [options] time limit for making the image (ms)
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if the image cannot be made
 */
export async function ensureImage({ timeoutMs = makeTimeoutMs } = {}) {
  return ensure(imageFolder(), { recipe, packages: [], timeoutMs });
}

/**
 * Makes the image of {@link appImageFolder} unless it is in the cache. The image has 600 MB.
 *
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if the image cannot be made
 */
export async function ensureAppImage() {
  return ensure(appImageFolder(), { recipe: appRecipe, packages: appPackages(), timeoutMs: makeTimeoutMs });
}

/**
 * How an image is made.
 *
 * @typedef {object} Making
 * @property {string} recipe script that makes it, relative to the project's folder
 * @property {readonly string[]} packages further arguments of the script
 * @property {number} timeoutMs time limit (ms)
 */

/**
 * Makes an image unless it is in the cache.
 *
 * @param {string} image its folder
 * @param {Making} making
 */
async function ensure(image, making) {
  mkdirSync(imagesFolder(), { recursive: true });
  if (!existsSync(image)) {
    const mirror = debianMirror();
    await checkMirror(mirror);
    console.log(`lab image       being made from ${mirror}: 2 minutes, with a slow network up to 15`);
    await makeImage(image, mirror, making);
    return `image made in ${image}`;
  }
  // The folder's time is updated at each use. The time tells a person who cleans up the cache which images are in
  // use.
  const now = new Date();
  utimesSync(image, now, now);
  return 'ready';
}

/**
 * Makes an image under a temporary name and renames it. Waits if another process is making the image.
 *
 * @param {string} image
 * @param {string} mirror
 * @param {Making} making
 * @throws {SetupError}
 */
async function makeImage(image, mirror, { recipe: script, packages, timeoutMs }) {
  const half = `${image}.part`;
  const until = performance.now() + timeoutMs;
  // The image is made in mount and process namespaces of its own, so that a failed attempt leaves no mounts or
  // processes behind. If another run needs the image meanwhile, it waits for the lock.
  const { code, output } = await run(
    'flock',
    [
      `${image}.lock`,
      ...['setpriv', '--pdeathsig', 'KILL'],
      ...['unshare', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...[
        'sh',
        '-c',
        'image=$1; shift; [ -d "$image" ] && exit; rm -rf "$2"; "$@" && mv "$2" "$image"',
        'sh',
      ],
      ...[image, join(root, script), half, mirror, ...packages],
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
