import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDisplay } from '../display.mjs';
import { root } from '../paths.mjs';
import { run } from '../run.mjs';
import { debsFolder } from './debs.mjs';
import { appImageFolder, imageFolder } from './image.mjs';

/** Folder of the lab nodes' control groups, under the root of each hierarchy. */
const groupFolder = 'overworld-lab';

/**
 * Runs a program in a lab of its own: an isolated network in which the kit of `test/lab` boots nodes. All processes in
 * the lab are ended when the program exits, and when this process is killed. Programs in the lab can show windows.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs?: number, label?: string }} [options] `label`: prefix of each output line
 * @returns {Promise<number | null>} the program's exit code; null if it was killed or exceeded the time limit
 * @throws {SetupError} if there is no display and none can be started
 */
export async function runInLab(command, args, { timeoutMs, ...label } = {}) {
  removeOldGroups();
  for (const folder of ['/run/overworld-lab', '/run/netns']) mkdirSync(folder, { recursive: true });
  const name = `${process.pid}-${startOf(process.pid) ?? ''}`;
  // The display is opened outside of the lab. Xvfb considers a display abandoned if it cannot see the display's
  // process, and processes in the lab see no process outside.
  const display = await openDisplay();
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
          ...display.env,
          OVERWORLD_LAB_IMAGE: imageFolder(),
          OVERWORLD_LAB_DEBS: debsFolder(),
          OVERWORLD_LAB_APP_IMAGE: appImageFolder(),
          OVERWORLD_LAB_GROUP: `${groupFolder}/${name}`,
        },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
    );
    return code;
  } finally {
    display.stop();
    removeGroups(name);
  }
}

/** Removes the control groups of labs whose process no longer runs. A killed lab leaves nothing else behind. */
function removeOldGroups() {
  for (const folder of groupFolders()) {
    for (const name of list(folder)) {
      const [pid = '', start] = name.split('-');
      if (startOf(Number(pid)) !== start) removeGroups(name);
    }
  }
}

/**
 * Removes the control groups of a lab.
 *
 * @param {string} name
 */
function removeGroups(name) {
  for (const folder of groupFolders()) {
    removeTree(join(folder, name));
    // The removal of the folder fails while another lab runs, and this is intended.
    removeFolder(folder);
  }
}

/**
 * Returns the paths at which control groups of labs may be: {@link groupFolder} in every folder that may be the root of
 * a hierarchy. The paths need not exist.
 */
function groupFolders() {
  const hierarchies = list('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name));
  return ['/sys/fs/cgroup', ...hierarchies]
    .map((hierarchy) => join(hierarchy, groupFolder))
    .filter((folder) => !folder.endsWith(`${groupFolder}/${groupFolder}`));
}

/**
 * Removes a control group with the groups in it. Removes only folders, because the files of a control group cannot be
 * removed.
 *
 * @param {string} folder of the control group
 */
function removeTree(folder) {
  for (const name of list(folder)) removeTree(join(folder, name));
  removeFolder(folder);
}

/**
 * Removes a folder unless it is in use or does not exist.
 *
 * @param {string} folder
 */
function removeFolder(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // The folder does not exist or is in use. Both need no action.
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
 * Returns the time at which a process started, in clock ticks since boot. Together with the process id, this time
 * identifies the process even if the id is used again.
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
