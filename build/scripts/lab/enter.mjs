import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { run } from '../run.mjs';
import { imageFolder } from './image.mjs';

/** Where cgroups of lab nodes are, under each hierarchy's own root. */
const groupFolder = 'overworld-lab';

/**
 * Runs a program in a lab of its own: on a hub network without a way out, where the kit of `test/lab` boots nodes.
 * All that runs there ends with the program, and when this process is killed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs?: number, label?: string }} [options] `label`: what each line of its output begins with
 * @returns {Promise<number | null>} its exit code; null when it was killed or ran out of time
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

/** Control groups are all that outlives a lab that was killed: empty folders, which the next one removes. */
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
    // Fails while another lab runs, and should.
    removeFolder(folder);
  }
}

/** One per mounted hierarchy; with cgroup v2 alone there is one. */
function groupFolders() {
  const hierarchies = list('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name));
  return ['/sys/fs/cgroup', ...hierarchies]
    .map((hierarchy) => join(hierarchy, groupFolder))
    .filter((folder) => !folder.endsWith(`${groupFolder}/${groupFolder}`));
}

/** @param {string} folder of a cgroup: only its folders can be removed, and are removed */
function removeTree(folder) {
  for (const name of list(folder)) removeTree(join(folder, name));
  removeFolder(folder);
}

/** @param {string} folder */
function removeFolder(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // Not there, or in use: neither needs anything done.
  }
}

/** Names of folders in a folder. @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** When a process started, in ticks since boot: with its id it names one process for ever. @param {number} pid */
function startOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  } catch {
    return undefined;
  }
}
