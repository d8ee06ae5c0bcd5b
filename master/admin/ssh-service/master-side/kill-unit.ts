import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Unit of the SSH service, which is in the same slice as the master's unit. */
const SSH_UNIT = 'overworld-ssh.service';

/** Where to read control groups. */
interface Cgroups {
  /** File with the group of this process. */
  readonly own: string;
  /** Folder of all groups. */
  readonly root: string;
}

const CGROUPS: Cgroups = { own: '/proc/self/cgroup', root: '/sys/fs/cgroup' };

/**
 * Kills the processes of the unit of the SSH service, which has the same user as the master. Its control group tells
 * which they are, and only systemd can change it. systemd then starts the next one.
 *
 * @returns the number of processes; 0 if this process is not in a unit
 */
export async function killSshUnit({ own, root }: Cgroups = CGROUPS): Promise<number> {
  // Version 2 of control groups has one hierarchy, with the number 0.
  const group = /^0::(\/.+)$/m.exec(await readOrEmpty(own))?.[1];
  if (group === undefined) return 0;
  const processes = (await readOrEmpty(join(root, dirname(group), SSH_UNIT, 'cgroup.procs'))).split('\n');
  const ids = processes.map(Number).filter((id) => Number.isInteger(id) && id > 1 && id !== process.pid);
  return ids.filter(kill).length;
}

function kill(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function readOrEmpty(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
