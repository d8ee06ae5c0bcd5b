import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { aptInstall } from '../machine/apt-install.ts';
import { asUser } from '../machine/as-user.ts';
import { changeFile } from '../machine/replace-file.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { HAPROXY_GROUP, HAPROXY_OPTIONS_FILE, MASTER_SOCKET, withMasterSocket } from './haproxy-options.ts';
import { limitHaproxy } from './haproxy-sandbox.ts';
import { USER } from './system.ts';

const FOLDER = '/etc/haproxy';
const FILE = '/etc/haproxy/haproxy.cfg';

/** Maximum duration of a restart of HAProxy (ms). Version 2.4 on Ubuntu 22.04 sometimes takes a minute to exit. */
const RESTART_TIMEOUT_MS = 3 * 60_000;

/**
 * Mode of the folder with HAProxy's configuration. The group may replace files in the folder, and new files belong to
 * the group.
 */
const FOLDER_MODE = 0o2775;
const FILE_MODE = 0o664;

/**
 * Installs HAProxy if it is missing. Gives the master's user the rights that docs/balancer.md describes: to write
 * HAProxy's configuration, and to use the socket that reloads HAProxy. Limits the rights of HAProxy itself. HAProxy
 * is restarted only if its socket has to change; a restart disconnects its players.
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
  await aptInstall(['haproxy']);
  return true;
}

/**
 * Adds the master's user to HAProxy's group. Returns whether the user was added; false if the user was in the group
 * already.
 */
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
 * Sets the group and mode of a folder or file. Its owner stays the same. Rejects links, and files with more than one
 * name (hard links). The master's user may write into the folder, and could use links to lead root to any file of
 * this machine.
 *
 * @returns whether group or mode were changed
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
 * Makes HAProxy run with a master socket that the group may use. Returns whether HAProxy was restarted for this.
 *
 * @throws OverworldError COMMAND_FAILED if HAProxy rejects its configuration; HAProxy is then not restarted
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
 * Lets HAProxy check its configuration, as the given user. The check runs the Lua programs that the configuration
 * names, and the master's user writes the configuration. As root, the check would run these programs outside of the
 * limits of HAProxy's unit.
 *
 * @throws OverworldError COMMAND_FAILED if HAProxy rejects the configuration
 */
export async function requireValidConfig(file: string, user: string): Promise<void> {
  await (await asUser(user)).must('haproxy', ['-c', '-q', '-f', file]);
}

/**
 * Returns whether the group may use HAProxy's master socket. Returns true if the socket does not exist at this path,
 * because HAProxy's own options then place it elsewhere.
 */
async function isSocketOpen(group: number): Promise<boolean> {
  const found = await stat(MASTER_SOCKET).catch(() => null);
  return found === null || (found.gid === group && (found.mode & 0o060) === 0o060);
}
