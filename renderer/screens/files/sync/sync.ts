import type { SyncRow } from '#shared/ipc/contract.ts';
import { toBytes, toCountOf } from '../../../view/format/numbers.ts';

/** The side that is changed to match the other. */
export type Direction = 'local' | 'remote';

export interface SyncPlan {
  readonly to: Direction;
  /** Whether files that exist only on the side `to` are deleted. */
  readonly deletes: boolean;
}

/** Planned change of a row. Null: none. */
export type SyncAct = 'add' | 'replace' | 'delete' | null;

/** Returns the change that a plan makes for a row. Null if the files are the same, or if a surplus file is kept. */
export function actOf({ verdict, local, remote }: SyncRow, { to, deletes }: SyncPlan): SyncAct {
  if (verdict === 'same') return null;
  const [source, target] = to === 'remote' ? [local, remote] : [remote, local];
  if (source === null) return deletes ? 'delete' : null;
  return target === null ? 'add' : 'replace';
}

/** Returns whether the destination is newer, so that replacing it would lose the latest version. */
export function overwritesNewer({ verdict }: Pick<SyncRow, 'verdict'>, to: Direction): boolean {
  return verdict === (to === 'remote' ? 'remote newer' : 'local newer');
}

/**
 * Returns the paths that are checked by default: all rows that need a change, except those where the change would
 * lose a newer version.
 */
export function firstTicks(rows: readonly SyncRow[], plan: SyncPlan): ReadonlySet<string> {
  return new Set(
    rows.filter((row) => actOf(row, plan) !== null && !overwritesNewer(row, plan.to)).map(({ path }) => path),
  );
}

/**
 * Ticks the rows that the plan deletes. If the plan deletes nothing, unticks the rows that it would delete otherwise.
 * All other ticks stay.
 */
export function tickDeletions(
  rows: readonly SyncRow[],
  ticked: ReadonlySet<string>,
  { to, deletes }: SyncPlan,
): ReadonlySet<string> {
  const next = new Set(ticked);
  for (const row of rows) {
    if (actOf(row, { to, deletes: true }) !== 'delete') continue;
    if (deletes) next.add(row.path);
    else next.delete(row.path);
  }
  return next;
}

/** Totals of the checked rows. */
export interface Totals {
  readonly copied: number;
  readonly bytes: number;
  readonly deleted: number;
  /** Number of copies that replace a newer file. */
  readonly older: number;
}

/** Returns the numbers of files that a plan copies and deletes for the checked rows, and the bytes that it copies. */
export function totalsOf(rows: readonly SyncRow[], ticked: ReadonlySet<string>, plan: SyncPlan): Totals {
  const chosen = rows.filter(({ path }) => ticked.has(path));
  const copied = chosen.filter((row) => ['add', 'replace'].includes(actOf(row, plan) ?? ''));
  return {
    copied: copied.length,
    bytes: copied.reduce(
      (sum, row) => sum + ((plan.to === 'remote' ? row.local : row.remote)?.bytes ?? 0),
      0,
    ),
    deleted: chosen.filter((row) => actOf(row, plan) === 'delete').length,
    older: copied.filter((row) => overwritesNewer(row, plan.to)).length,
  };
}

/** Returns totals in words: `12 files, 3.4 MB up, 2 deleted`. */
export function totalWords({ copied, bytes, deleted }: Totals, to: Direction): string {
  const parts = [
    copied > 0 ? `${toCountOf(copied, 'file')}, ${toBytes(bytes)} ${to === 'remote' ? 'up' : 'down'}` : '',
    deleted > 0 ? `${deleted} deleted` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'Nothing to do' : parts.join(', ');
}
