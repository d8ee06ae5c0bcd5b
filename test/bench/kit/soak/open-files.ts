import { readdir, readlink } from 'node:fs/promises';

/** Open files of a process: their number, and the number of each kind. */
export interface OpenFiles {
  readonly count: number;
  /** Number of open files by their kind: `socket`, `pipe`, or the path of a file, with `N` in place of numbers. */
  readonly kinds: ReadonlyMap<string, number>;
}

/** Returns the open files of a process. Leaves out files that the process is just closing. */
export async function openFilesOf(pid: number): Promise<OpenFiles> {
  const folder = `/proc/${pid}/fd`;
  const kinds = new Map<string, number>();
  let count = 0;
  for (const name of await readdir(folder)) {
    const target = await readlink(`${folder}/${name}`).catch(() => null);
    if (target === null) continue;
    const kind = kindOf(target);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    count += 1;
  }
  return { count, kinds };
}

/**
 * Returns the kinds of open files whose numbers have changed.
 *
 * Example: `+1 socket, -2 pipe`; empty if nothing changed.
 */
export function growthOf(before: OpenFiles, after: OpenFiles): string {
  return [...new Set([...before.kinds.keys(), ...after.kinds.keys()])]
    .map((kind) => ({ kind, by: (after.kinds.get(kind) ?? 0) - (before.kinds.get(kind) ?? 0) }))
    .filter(({ by }) => by !== 0)
    .map(({ kind, by }) => `${by > 0 ? '+' : ''}${by} ${kind}`)
    .join(', ');
}

/** Example: `socket:[123]` → `socket`; `/tmp/data/logs/lobby-7.log` → `/tmp/data/logs/lobby-N.log`. */
function kindOf(target: string): string {
  const [, kind] = /^([a-z_]+):\[/.exec(target) ?? [];
  return kind ?? target.replaceAll(/\d+/g, 'N');
}
