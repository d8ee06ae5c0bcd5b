import { lastLines, run } from '../run.mjs';
import { step } from '../steps.mjs';
import { ensureSystemPackages, labNeeds } from '../set-up/system-packages.mjs';
import { ensureDebs } from './debs.mjs';
import { ensureAppImage, ensureImage } from './image.mjs';
import { ensureNodeRuntime, hostArch } from '../packaging/master/node-runtime.mjs';

/**
 * Prepares this machine for booting lab nodes: installs system packages, makes the base image, downloads Debian
 * packages for tests, and gets the Node.js of the master's package.
 *
 * @returns {Promise<string | null>} null on success; otherwise the reason, as a clause, why this machine cannot boot
 *   lab nodes
 * @throws {import('../steps.mjs').SetupError} if this machine could boot them, but the preparation failed
 */
export async function prepareLab() {
  const obstacle = await findObstacle();
  if (obstacle !== null) return obstacle;
  await step('lab system', () => ensureSystemPackages(labNeeds));
  await step('lab image', ensureImage);
  await step('lab debs', ensureDebs);
  if (process.env['OVERWORLD_NIGHTLY'] === '1') await step('lab app image', ensureAppImage);
  // Nodes have no network from which the master's package could download Node.js.
  await step('lab node.js', async () => {
    await ensureNodeRuntime(hostArch() ?? 'amd64');
    return 'ready';
  });
  return null;
}

/**
 * Returns why this machine cannot boot lab nodes, even if all packages are installed. Null if nothing prevents it.
 *
 * @returns {Promise<string | null>}
 */
async function findObstacle() {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root, to make namespaces and mounts';
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc'];
  const tried = await run('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'lab', '/mnt']);
  return tried.code === 0 ? null : `namespaces cannot be made here (${lastLines(tried.output, 1)})`;
}
