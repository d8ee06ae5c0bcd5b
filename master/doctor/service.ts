import { execFile } from 'node:child_process';
import { readlinkSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { LOST_AND_FOUND } from '#master/store/list-tree.ts';
import { NODE_NEEDED } from '#shared/version.ts';
import { whyLocalIsUnsafe } from '#master/nodes/local/local-refusal.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';
import { UNIT, type ServiceUnit } from './service-unit.ts';
import { readUsers, userName } from './users.ts';

const VERSION_TIMEOUT_MS = 10_000;

/** Folders in the data folder whose files the master itself reads and writes. */
const FOLDERS = ['', 'config', 'config/templates', 'state', 'run'];

/**
 * The process and the unit that run the master of a data folder. Their environment may differ from that of the
 * doctor's own shell.
 */
export interface MasterService {
  /** The unit that starts the master. Null if there is none. */
  readonly unit: ServiceUnit | null;
  /** Process id of the running master. Null if it is not running. */
  readonly pid: number | null;
}

/** Returns whether the master supports a version of Node.js. */
export function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needsMajor = 0, needsMinor = 0] = NODE_NEEDED.split('.').map(Number);
  return major > needsMajor || (major === needsMajor && minor >= needsMinor);
}

/** Checks the Node.js that runs the master, or with which the unit will start the master. */
export async function checkNode({ unit, pid }: MasterService): Promise<Finding> {
  const check = 'Node.js';
  const running = pid === null ? null : programOf(pid);
  if (running !== null && !basename(running).startsWith('node'))
    return ok(check, `The running master (process ${pid}) is part of ${running}, which has its own Node.js.`);
  const node = running ?? unit?.node;
  if (node === undefined) {
    const where =
      pid === null
        ? `No master is running, and there is no unit ${UNIT}.`
        : 'The running master uses another Node.js.';
    return rate(
      `${where} This program uses ${process.execPath}, version ${process.versions.node}.`,
      process.versions.node,
    );
  }
  const version = await readNodeVersion(node);
  if (running !== null) {
    const found = `The running master (process ${pid}) uses ${node}, version ${version ?? 'unknown'}.`;
    return version === null ? ok(check, found) : rate(found, version);
  }
  const started = `The unit ${UNIT} starts the master with ${node}`;
  if (version === null) return bad(check, `${started}, which does not run.`, ADVICE);
  return rate(`${started}, which is version ${version}.`, version);
}

const ADVICE = `Install Node.js ${NODE_NEEDED} or newer, and name it in ExecStart of the unit.`;

function rate(found: string, version: string): Finding {
  return isNodeNewEnough(version) ? ok('Node.js', found) : bad('Node.js', found, ADVICE);
}

async function readNodeVersion(node: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(node, ['--version'], {
      timeout: VERSION_TIMEOUT_MS,
      env: {},
    });
    return /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * Checks that the master's user owns the data folder, the subfolders that the master itself uses, and the files
 * directly in these folders. Does not check files in deeper folders.
 */
export async function checkRights(data: string, service: MasterService): Promise<Finding> {
  const check = 'rights';
  const name = userOf(service);
  if (name === null)
    return skipped(check, `No master is running, and there is no unit ${UNIT}, so its user is unknown.`);
  const id = readUsers().get(name);
  if (id === undefined) {
    const found = `The unit ${UNIT} runs as ${name}, but this machine has no such user.`;
    return bad(check, found, 'Correct User= in the unit, or add the user with: useradd');
  }
  if (id === 0) return ok(check, 'The master runs as root.');
  const foreign = await findForeign(data, id);
  if (foreign === null) return ok(check, `The master runs as ${name}, who owns ${data}.`);
  const found = `The master runs as ${name}, but ${foreign.path} belongs to ${userName(foreign.owner)}.`;
  return bad(check, found, `Run: chown -R ${name}: ${data}`);
}

/**
 * Checks whether the master of the unit may run services on its own machine. Null if there is no unit, or if its
 * master runs no services under the master's own user.
 *
 * @param hasToken whether the configuration contains an API token of the provider
 */
export function checkLocalServices(unit: ServiceUnit | null, hasToken: boolean): Finding | null {
  if (unit?.isLocal !== true) return null;
  const check = 'local services';
  const isAllowed = unit.args.includes('--local-unsafe');
  const facts = { isLocal: true, isRoot: unit.user === 'root', hasToken };
  const why = whyLocalIsUnsafe({ ...facts, isAllowed: false });
  if (why === null) return ok(check, `The unit ${UNIT} runs services on this machine as ${unit.user}.`);
  const found = `The unit ${UNIT} runs services on this machine${isAllowed ? ' (--local-unsafe)' : ''}, and ${why}.`;
  const advice =
    'Add --no-local to the unit, so that services run only on cloud nodes. With the unit of the package, services here can have users of their own: overworld-master local enable';
  if (isAllowed) return warning(check, found, `${advice}.`);
  return bad(check, found, `The master refuses to start. ${advice}. Or add --local-unsafe.`);
}

/**
 * Warns if the doctor and the master run as different users, because the checks of HAProxy then use other rights than
 * the master has. Null if both have the same user, or if the master's user is unknown.
 */
export function compareUsers(service: MasterService): Finding | null {
  const [name, own] = [userOf(service), userName(process.getuid?.() ?? 0)];
  if (name === null || name === own) return null;
  const found = `HAProxy was checked with the rights of ${own}, but the master runs as ${name}.`;
  return warning('HAProxy rights', found, `Run also: sudo -u ${name} overworld-master doctor`);
}

/** Returns the name of the master's user. Null if it is unknown. */
function userOf({ unit, pid }: MasterService): string | null {
  const running = pid === null ? null : ownerOf(pid);
  return running === null ? (unit?.user ?? null) : userName(running);
}

/** Returns the first file or folder that belongs to another user. Null if there is none. */
async function findForeign(
  data: string,
  user: number,
): Promise<{ readonly path: string; readonly owner: number } | null> {
  for (const folder of FOLDERS) {
    const inside = await readdir(join(data, folder)).catch(() => []);
    for (const name of ['', ...inside.filter((one) => one !== LOST_AND_FOUND).sort()]) {
      const path = join(data, folder, name);
      const owner = await stat(path).then(
        ({ uid }) => uid,
        () => user,
      );
      if (owner !== user) return { path, owner };
    }
  }
  return null;
}

/** Returns the path of the program that a process runs. Null if this user may not read the path. */
function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}

/**
 * Returns the id of the user as which a process runs. Null if the process has exited, or if the system has no /proc.
 */
function ownerOf(pid: number): number | null {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return null;
  }
}
