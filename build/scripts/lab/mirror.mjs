import { existsSync, readFileSync } from 'node:fs';
import { lastLines, run } from '../run.mjs';
import { SetupError } from '../steps.mjs';

/** Time limit for the response of a mirror (s). The mirror is tried twice. */
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
 * Checks that a mirror responds. Without this check, debootstrap would wait 15 minutes for each of 200 missing files.
 * Uses wget like debootstrap, so that the same proxy applies.
 *
 * @param {string} mirror an address that does not start with http, such as a folder, is not checked
 * @param {number} [patienceS] time limit (s)
 * @throws {SetupError} if the mirror does not respond
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
