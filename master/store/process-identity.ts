import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/**
 * Identity of a process: pid, start time (kernel ticks) and boot id. Together they are unique even if pids are
 * reused. The last two are null on a system without /proc.
 */
export const processIdentitySchema = z.object({
  pid: z.int(),
  began: z.string().nullable(),
  boot: z.string().nullable(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** Returns the identity of a running process. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, began: await startTicks(pid), boot: await bootId() };
}

/** Reports whether a process of this machine is still running. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = await identityOf(identity.pid);
  return now.began === identity.began && now.boot === identity.boot;
}

/**
 * Returns field 22 of /proc/PID/stat (proc(5)): the process's start time in ticks since boot. Null if the system
 * has no /proc.
 */
async function startTicks(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may contain spaces and parentheses, so fields are counted from the last
    // parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

async function bootId(): Promise<string | null> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return null;
  }
}
