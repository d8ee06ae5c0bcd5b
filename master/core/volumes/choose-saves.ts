import type { NodeId } from '../snapshot/snapshot.ts';

/** Maximum number of regular saves at a time. It leaves bandwidth for template sync and consoles. */
const MAX_SAVES = 2;

/**
 * Time for which a save counts towards {@link MAX_SAVES} (ms). After that, further saves may begin, so that nodes
 * whose saves take very long do not keep other nodes from being saved.
 */
const COUNTS_FOR_MS = 600_000;

/** A regular save that may begin now. Times are on the monotonic clock. */
export interface DueSave {
  readonly node: NodeId;
  /** When the last attempt to save the volume ended (ms). Null if this master has not tried to save it yet. */
  readonly triedAt: number | null;
  /** When the save was due (ms). */
  readonly dueAt: number;
}

/** A regular save in progress. */
export interface SaveInProgress {
  readonly node: NodeId;
  /** When it began (ms on the monotonic clock). */
  readonly begunAt: number;
}

/**
 * Chooses the regular saves that begin now: at most two at a time, and at most one of each node. The volume whose
 * last attempt is oldest comes first, so that volumes whose saves fail do not keep others from being saved. A save
 * that has taken 10 min no longer counts as one of the two.
 *
 * @param clock current time on the monotonic clock (ms)
 */
export function chooseSaves<T extends DueSave>(
  due: readonly T[],
  inProgress: readonly SaveInProgress[],
  clock: number,
): T[] {
  const busy = new Set(inProgress.map(({ node }) => node));
  const counted = inProgress.filter(({ begunAt }) => clock - begunAt < COUNTS_FOR_MS);
  const chosen: T[] = [];
  for (const one of due.toSorted(byAttempt)) {
    if (counted.length + chosen.length >= MAX_SAVES) break;
    if (busy.has(one.node)) continue;
    busy.add(one.node);
    chosen.push(one);
  }
  return chosen;
}

function byAttempt(a: DueSave, b: DueSave): number {
  const [triedA, triedB] = [a.triedAt ?? -Infinity, b.triedAt ?? -Infinity];
  return triedA === triedB ? a.dueAt - b.dueAt : triedA - triedB;
}
