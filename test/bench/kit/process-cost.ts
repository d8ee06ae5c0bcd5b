import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks per second in /proc (USER_HZ), which is 100 on current Linux systems (proc(5)). */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a process and its exited children have used so far (s). */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in the second field may contain all characters, so count the fields after the name. The 14th field of
  // the line has the index 11 here.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return (user + system + childUser + childSystem) / TICKS_PER_SECOND;
}

/** Returns the resident memory of one process (MB = 2^20 bytes). */
export async function residentMbOf(pid: number): Promise<number> {
  return kilobytesIn(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS') / 1024;
}

/**
 * Returns the memory of a process and its descendants (MB = 2^20 bytes): the sum of their proportional set sizes, in
 * which shared memory counts only once.
 */
export async function treePssMbOf(root: number): Promise<number> {
  const rollups = await Promise.all(
    (await treeOf(root)).map((pid) =>
      // The process may have exited before its file is read.
      readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB'),
    ),
  );
  return rollups.reduce((sum, text) => sum + kilobytesIn(text, 'Pss'), 0) / 1024;
}

/** Returns a process and its descendants. */
async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function kilobytesIn(text: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text);
  if (match === null) throw new Error(`/proc does not tell ${field}`);
  return Number(match[1]);
}
