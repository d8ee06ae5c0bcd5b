import { setImmediate as nextTurn } from 'node:timers/promises';

/** Number of items that are sorted at once. Sorting them takes well below 20 ms, even on slow machines. */
const SLICE = 4_096;

/**
 * Sorts many items without blocking the event loop for long: sorts slices, merges them pairwise, and yields to the
 * event loop in between.
 */
export async function sortInSlices<T>(items: readonly T[], before: (a: T, b: T) => boolean): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    runs.push(items.slice(from, from + SLICE).sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0)));
    await nextTurn();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], before));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(a: readonly T[], b: readonly T[], before: (a: T, b: T) => boolean): Promise<T[]> {
  const out: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (right === undefined || (left !== undefined && !before(right, left))) {
      if (left !== undefined) out.push(left);
      i += 1;
    } else {
      out.push(right);
      j += 1;
    }
    if (out.length % SLICE === 0) await nextTurn();
  }
  return out;
}
