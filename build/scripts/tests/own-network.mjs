import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/** Runs its arguments as a command in a network namespace of its own. */
export const ownNetwork = join(root, 'build', 'scripts', 'tests', 'own-network.sh');

/** Returns whether processes can have networks of their own here: on Linux, as root. */
export function hasOwnNetworks() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync(ownNetwork, ['true'], { stdio: 'ignore' }).status === 0;
}
