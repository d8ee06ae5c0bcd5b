import { existsSync, readFileSync } from 'node:fs';
import { lastLines, run } from '../run.mjs';
import { SetupError } from '../steps.mjs';

/** Timeout of a mirror that does not respond (s). It is tried twice. */
const silentAfterS = 20;

/**
 * Returns the mirror from which this machine gets its Debian packages.
 *
 * @throws {SetupError} if none is configured
 */
export function debianMirror() {
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

/**
 * Checks that a mirror responds, because debootstrap itself waits 15 minutes for each missing file, 200 times. Uses
 * wget like debootstrap, so that the same proxy applies.
 *
 * @param {string} mirror one without http, such as a folder, is accepted unchecked
 * @param {number} [patienceS]
 * @throws {SetupError} if it does not respond
 */
export async function checkMirror(mirror, patienceS = silentAfterS) {
  if (!/^https?:/.test(mirror)) return;
  const file = `${mirror}/dists/bookworm/InRelease`;
  const { code, output } = await run(
    'wget',
    ['-nv', '-O', '/dev/null', `--timeout=${patienceS}`, '--tries=2', file],
    { env: { ...process.env, LC_ALL: 'C' } },
  );
  if (code === 0) return;
  throw new SetupError(
    `The Debian mirror ${mirror} does not give packages for lab nodes (${lastLines(output, 1)}); check the network, or name another one in OVERWORLD_DEBIAN_MIRROR, then start again.`,
  );
}
