import { lastLines, run } from '../run.mjs';
import { step } from '../steps.mjs';
import { ensureSystemPackages, labNeeds } from '../set-up/system-packages.mjs';
import { ensureImage } from './image.mjs';

/**
 * Brings this machine to where lab nodes can be booted: system packages, the base image.
 *
 * @returns {Promise<string | null>} null when it can; else why this machine cannot, half a sentence
 * @throws {import('../steps.mjs').SetupError} when it could, and something went wrong
 */
export async function prepareLab() {
  const obstacle = await findObstacle();
  if (obstacle !== null) return obstacle;
  await step('lab system', () => ensureSystemPackages(labNeeds));
  await step('lab image', ensureImage);
  return null;
}

/** What no package can change about this machine. @returns {Promise<string | null>} */
async function findObstacle() {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root, to make namespaces and mounts';
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc'];
  const tried = await run('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'lab', '/mnt']);
  return tried.code === 0 ? null : `namespaces cannot be made here (${lastLines(tried.output, 1)})`;
}
