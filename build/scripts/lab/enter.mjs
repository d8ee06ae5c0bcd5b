import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { run } from '../run.mjs';
import { imageFolder } from './image.mjs';

/** Folder of the cgroups of lab nodes under each hierarchy's own root. */
const groupFolder = 'overworld-lab';

/**
 * Runs a program in a lab of its own: on an isolated hub network on which the kit of `test/lab` boots nodes.
 * Everything in it ends with the program, and when this process is killed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs?: number, label?: string }} [options] `label`: prefix of each output line
 * @returns {Promise<number | null>} its exit code; null if it was killed or exceeded the time limit
 */
export async function runInLab(command, args, { timeoutMs, ...label } = {}) {
  removeOldGroups();
  for (const folder of ['/run/overworld-lab', '/run/netns']) mkdirSync(folder, { recursive: true });
  const name = `${process.pid}-${startOf(process.pid) ?? ''}`;
  try {
    const { code } = await run(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL'],
        ...['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
        ...[join(root, 'build', 'scripts', 'lab', 'inside.sh'), command, ...args],
      ],
      {
        show: true,
        ...label,
        env: {
          ...process.env,
          OVERWORLD_LAB_IMAGE: imageFolder(),
          OVERWORLD_LAB_GROUP: `${groupFolder}/${name}`,
        },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
    );
    return code;
  } finally {
    removeGroups(name);
  }
}

/** Removes control groups, the only leftovers of a killed lab, which are empty folders. */
function removeOldGroups() {
  for (const folder of groupFolders()) {
    for (const name of list(folder)) {
      const [pid = '', start] = name.split('-');
      if (startOf(Number(pid)) !== start) removeGroups(name);
    }
  }
}

/** @param {string} name */
function removeGroups(name) {
  for (const folder of groupFolders()) {
    removeTree(join(folder, name));
    // Fails while another lab runs, as intended.
    removeFolder(folder);
  }
}

/** Returns one folder per mounted hierarchy; with only cgroup v2 there is one. */
function groupFolders() {
  const hierarchies = list('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name));
  return ['/sys/fs/cgroup', ...hierarchies]
    .map((hierarchy) => join(hierarchy, groupFolder))
    .filter((folder) => !folder.endsWith(`${groupFolder}/${groupFolder}`));
}

/** @param {string} folder of a cgroup, in which only folders can be removed */
function removeTree(folder) {
  for (const name of list(folder)) removeTree(join(folder, name));
  removeFolder(folder);
}

/** @param {string} folder */
function removeFolder(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // It does not exist or is in use; both need no action.
  }
}

/**
 * Returns the names of the folders in a folder.
 *
 * @param {string} folder
 */
function list(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/**
 * Returns when a process started, in ticks since boot. Together with the pid it identifies a process uniquely.
 *
 * @param {number} pid
 */
function startOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  } catch {
    return undefined;
  }
}
