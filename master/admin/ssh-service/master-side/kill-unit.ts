import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Unit of the SSH service. It is in the same slice as the master's unit. */
const SSH_UNIT = 'overworld-ssh.service';

/** Paths from which the control groups of processes are read. */
interface Cgroups {
  /** File that names the control group of this process. */
  readonly own: string;
  /** Folder that contains all control groups. */
  readonly root: string;
}

const CGROUPS: Cgroups = { own: '/proc/self/cgroup', root: '/sys/fs/cgroup' };

/**
 * Kills the processes of the SSH service's unit, which run as the same user as the master. Finds them by the unit's
 * control group, because only systemd can change its members. systemd then restarts the service.
 *
 * @returns the number of killed processes; 0 if this process is not in a unit
 */
export async function killSshUnit({ own, root }: Cgroups = CGROUPS): Promise<number> {
  const groups = await readOrEmpty(own);
  // Control groups of version 2 have one hierarchy, with the number 0. Of the hierarchies of version 1, systemd's own
  // one contains all units.
  const named = /^\d+:name=systemd:(\/.+)$/m.exec(groups)?.[1];
  const group = named ?? /^0::(\/.+)$/m.exec(groups)?.[1];
  if (group === undefined) return 0;
  const hierarchy = named === undefined ? root : join(root, 'systemd');
  const file = join(hierarchy, dirname(group), SSH_UNIT, 'cgroup.procs');
  const processes = (await readOrEmpty(file)).split('\n');
  const ids = processes.map(Number).filter((id) => Number.isInteger(id) && id > 1 && id !== process.pid);
  return ids.filter(kill).length;
}

function kill(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // The process has exited meanwhile.
    return false;
  }
}

function readOrEmpty(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
