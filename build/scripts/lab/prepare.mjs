import { lastLines, run } from '../run.mjs';
import { step } from '../steps.mjs';
import { ensureSystemPackages, labNeeds } from '../set-up/system-packages.mjs';
import { ensureImage } from './image.mjs';

/**
 * Prepares this machine for booting lab nodes: system packages and the base image.
 *
 * @returns {Promise<string | null>} null on success; otherwise why this machine cannot, as half a sentence
 * @throws {import('../steps.mjs').SetupError} if it could, and something went wrong
 */
export async function prepareLab() {
  const obstacle = await findObstacle();
  if (obstacle !== null) return obstacle;
  await step('lab system', () => ensureSystemPackages(labNeeds));
  await step('lab image', ensureImage);
  return null;
}

/**
 * Finds a property of this machine that no package can change.
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
