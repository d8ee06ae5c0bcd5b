import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { hashOf } from '../stamp.mjs';
import { SetupError } from '../steps.mjs';

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
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError}
 */
export async function ensureImage() {
  const image = imageFolder();
  mkdirSync(imagesFolder(), { recursive: true });
  if (!existsSync(image)) {
    const half = `${image}.part`;
    // Mounts and processes of a half-made image go with its namespaces; another run that wants it waits for its lock.
    const { code, output } = await run(
      'flock',
      [
        `${image}.lock`,
        ...['setpriv', '--pdeathsig', 'KILL'],
        ...['unshare', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
        ...['sh', '-c', '[ -d "$1" ] && exit; rm -rf "$2"; "$3" "$2" "$4" && mv "$2" "$1"', 'sh'],
        ...[image, half, join(root, recipe), debianMirror()],
      ],
      { timeoutMs: makeTimeoutMs },
    );
    if (code !== 0 || !existsSync(image)) {
      throw new SetupError(
        `The Debian image that lab nodes boot from could not be made from ${debianMirror()} (${lastLines(output)}); check the network, or name another mirror in OVERWORLD_DEBIAN_MIRROR, then start again.`,
      );
    }
    return `image made in ${image}`;
  }
  // So that a person who tidies up sees which are in use.
  const now = new Date();
  utimesSync(image, now, now);
  return 'ready';
}

function imagesFolder() {
  return join(cacheFolder(), 'lab');
}

/** Where this machine gets its own Debian packages. @throws {SetupError} when it does not say so */
function debianMirror() {
  const named = process.env['OVERWORLD_DEBIAN_MIRROR'];
  if (named !== undefined && named !== '') return named;
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    if (!existsSync(file)) continue;
    const uri = /^(?:URIs:|deb(?: \[[^\]]*\])?) *(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(
      readFileSync(file, 'utf8'),
    );
    if (uri?.[1] !== undefined) return uri[1];
  }
  throw new SetupError(
    'Nothing tells where this machine gets its Debian packages; set OVERWORLD_DEBIAN_MIRROR to the address of a mirror.',
  );
}
