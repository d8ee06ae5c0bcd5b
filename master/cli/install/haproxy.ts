import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { asUser } from '../machine/as-user.ts';
import { changeFile } from '../machine/replace-file.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { HAPROXY_GROUP, HAPROXY_OPTIONS_FILE, MASTER_SOCKET, withMasterSocket } from './haproxy-options.ts';
import { limitHaproxy } from './haproxy-sandbox.ts';
import { USER } from './system.ts';

const FOLDER = '/etc/haproxy';
const FILE = '/etc/haproxy/haproxy.cfg';

/** Maximum time of apt (ms). It waits for other runs of apt, which a new server has at its first boot. */
const APT_TIMEOUT_MS = 10 * 60_000;

/** Maximum time of a restart of HAProxy (ms). Version 2.4 of Ubuntu 22.04 sometimes takes a minute to exit. */
const RESTART_TIMEOUT_MS = 3 * 60_000;

/** Mode of the folder: the group may replace files in it, and new files belong to the group. */
const FOLDER_MODE = 0o2775;
const FILE_MODE = 0o664;

/**
 * Installs HAProxy if it is missing, and gives the master's user the rights on it that docs/balancer.md describes: write
 * access to its configuration, and to the socket that reloads it. Limits the rights of HAProxy itself. Restarts HAProxy
 * only if the socket has to change, which disconnects its players.
 *
 * @throws OverworldError COMMAND_FAILED, MACHINE_UNSUITABLE
 */
export async function prepareHaproxy(): Promise<StepOutcome> {
  const changes: string[] = [];
  if (await installHaproxy()) changes.push('installed HAProxy');
  if (await joinGroup()) changes.push(`added ${USER} to the group ${HAPROXY_GROUP}`);
  const group = await groupId(HAPROXY_GROUP);
  const folderChanged = await setRights(FOLDER, { group, mode: FOLDER_MODE, isFolder: true });
  const fileChanged = await setRights(FILE, { group, mode: FILE_MODE, isFolder: false });
  if (folderChanged || fileChanged) changes.push(`gave this group write access to ${FOLDER}`);
  if (await limitHaproxy()) changes.push('limited the rights of HAProxy from its next start on');
  if (await prepareSocket(group)) changes.push(`restarted HAProxy with ${MASTER_SOCKET} open to this group`);
  if (changes.length === 0)
    return { status: 'unchanged', detail: 'The master may change and reload HAProxy.' };
  const sentence = changes.join(', ');
  return { status: 'done', detail: `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}.` };
}

async function installHaproxy(): Promise<boolean> {
  const found = await runProgram('haproxy', ['-v']);
  if (found.code === 0) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' };
  const options = { timeoutMs: APT_TIMEOUT_MS, env };
  const args = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  const install = [...args, 'install', '--no-install-recommends', 'haproxy'];
  // A new server may have no package lists, or outdated ones.
  const first = await runProgram('apt-get', install, options);
  if (first.code !== 0) {
    await mustRun('apt-get', [...args, 'update'], options);
    await mustRun('apt-get', install, options);
  }
  return true;
}

/** Adds the master's user to HAProxy's group. Returns whether it was not in it before. */
async function joinGroup(): Promise<boolean> {
  const groups = (await mustRun('id', ['-nG', USER])).trim().split(/\s+/);
  if (groups.includes(HAPROXY_GROUP)) return false;
  await mustRun('usermod', ['-aG', HAPROXY_GROUP, USER]);
  return true;
}

async function groupId(name: string): Promise<number> {
  const [, , id] = (await mustRun('getent', ['group', name])).split(':');
  return Number(id);
}

/**
 * Sets group and mode of a folder or file. Its owner stays. The master's user may write into the folder, so a link or a
 * second name of a file there is not followed: it might lead root to any file of this machine.
 *
 * @returns whether they were changed
 * @throws OverworldError MACHINE_UNSUITABLE
 */
async function setRights(
  path: string,
  { group, mode, isFolder }: { readonly group: number; readonly mode: number; readonly isFolder: boolean },
): Promise<boolean> {
  const refuse = (why: string): OverworldError =>
    new OverworldError('MACHINE_UNSUITABLE', { why: `${path} ${why}`, advice: 'See docs/balancer.md.' });
  const before = await lstat(path).catch(() => null);
  if (before === null) throw refuse('does not exist, although HAProxy is installed');
  if (before.isSymbolicLink()) throw refuse('is a link; give the rights on its target yourself');
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (isFolder ? !found.isDirectory() : !found.isFile() || found.nlink !== 1)
      throw refuse('is not an ordinary file or folder');
    if (found.gid === group && (found.mode & 0o7777) === mode) return false;
    await handle.chown(found.uid, group);
    await handle.chmod(mode);
    return true;
  } finally {
    await handle.close();
  }
}

/**
 * Makes HAProxy run with a master socket that the group may use. Returns whether HAProxy was restarted for it.
 *
 * @throws OverworldError COMMAND_FAILED if HAProxy rejects its configuration; it is not restarted then
 */
async function prepareSocket(group: number): Promise<boolean> {
  const changed = await changeFile(HAPROXY_OPTIONS_FILE, withMasterSocket);
  const isActive = (await runProgram('systemctl', ['is-active', '--quiet', 'haproxy'])).code === 0;
  if (!changed && isActive && (await isSocketOpen(group))) return false;
  await requireValidConfig(FILE, USER);
  await mustRun('systemctl', ['enable', '--quiet', 'haproxy']);
  await mustRun('systemctl', ['restart', 'haproxy'], { timeoutMs: RESTART_TIMEOUT_MS });
  return true;
}

/**
 * Lets HAProxy check its configuration, as the master's user. That user writes the configuration, and the check runs the
 * programs in Lua that it names: root would run them outside of the limits of HAProxy's unit.
 *
 * @throws OverworldError COMMAND_FAILED if HAProxy rejects the configuration
 */
export async function requireValidConfig(file: string, user: string): Promise<void> {
  await (await asUser(user)).must('haproxy', ['-c', '-q', '-f', file]);
}

/**
 * Returns whether the group may use the master's HAProxy socket. Also true if this socket does not exist, because
 * HAProxy's own options then place it elsewhere.
 */
async function isSocketOpen(group: number): Promise<boolean> {
  const found = await stat(MASTER_SOCKET).catch(() => null);
  return found === null || (found.gid === group && (found.mode & 0o060) === 0o060);
}
