import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/** Path of the script that runs its arguments as a command in a network namespace of its own. */
export const ownNetwork = join(root, 'build', 'scripts', 'tests', 'own-network.sh');

/**
 * Returns whether this process can start processes in network namespaces of their own. This requires Linux and root.
 */
export function hasOwnNetworks() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync(ownNetwork, ['true'], { stdio: 'ignore' }).status === 0;
}
