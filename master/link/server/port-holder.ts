import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** State "listening" in `/proc/net/tcp`. */
const LISTENING = '0A';

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number;
  /** Name of the process's program, such as "nginx". */
  readonly program: string;
}

/**
 * Returns a sentence about the program that uses a port. It contains the program's name and process id, if the system
 * reveals them.
 *
 * @param port TCP port
 */
export async function takenBy(port: number): Promise<string> {
  const holder = await portHolder(port);
  return holder === null
    ? 'another program uses this port'
    : `${holder.program} (process ${holder.pid}) uses this port`;
}

/**
 * Finds the process that listens on a TCP port of this machine, on any address. Reads `/proc` (proc(5)).
 *
 * @returns null if no process listens, or the system does not reveal the process: the system is not Linux, or the
 *   process belongs to another user
 */
export async function portHolder(port: number): Promise<PortHolder | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(textOf));
  const sockets = new Set(
    tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return null;
  for (const name of await namesIn('/proc')) {
    const pid = Number(name);
    if (Number.isInteger(pid) && (await holdsAny(pid, sockets)))
      return { pid, program: await programOf(pid) };
  }
  return null;
}

/**
 * Returns the inodes of the sockets that listen on a port. The table has the format of `/proc/net/tcp`.
 *
 * Example: for port 25565, a line matches if its local address ends in `:63DD` and its state is `0A`.
 */
export function listeningInodes(table: string, port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === LISTENING && local.endsWith(`:${hex}`) && inode !== undefined ? [inode] : [];
  });
}

async function holdsAny(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  for (const descriptor of await namesIn(`/proc/${pid}/fd`)) {
    if (sockets.has(await linkOf(`/proc/${pid}/fd/${descriptor}`))) return true;
  }
  return false;
}

/**
 * Returns the name of a process's program. Uses its executable file, because a process may choose any name for
 * itself.
 */
async function programOf(pid: number): Promise<string> {
  const file = (await linkOf(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
  return file === '' ? 'a program' : basename(file);
}

// A process may exit in the meantime, and the files of other users' processes cannot be read. Both count as an empty
// text.
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
const linkOf = (path: string): Promise<string> => readlink(path).catch(() => '');
const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);
