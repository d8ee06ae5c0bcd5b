import type { NodeService } from './tool-answers.ts';

/** Point in time on a node's monotonic clock: the id of a boot, and the seconds since that boot. */
export interface NodeMoment {
  readonly boot: string;
  readonly uptime: number;
}

/**
 * Stage of a service according to its record, its start note, and its unit. `unknown`: the service has no record.
 * `prepared`: the service was never started.
 */
export type Stage = 'unknown' | 'prepared' | 'alive' | 'ended';

/**
 * Returns the stage of a service.
 *
 * Example: a record without a start, whose unit is not alive, gives `prepared`.
 */
export function stageOf({ record, start, unit }: NodeService): Stage {
  if (record === null) return 'unknown';
  if (unit.alive) return 'alive';
  return start === null ? 'prepared' : 'ended';
}

/**
 * Computes when a service was started, by the master's clock, because the node's clock may be wrong.
 *
 * Example: started at 100 s of uptime, now 160 s of the same boot: 60 s before `nowMs`.
 *
 * @returns the start time (ms since epoch); if the service was started in an earlier boot, the start of the current
 *   boot
 */
export function startedAtMs(start: NodeMoment, now: NodeMoment, nowMs: number): number {
  const ageS = start.boot === now.boot ? now.uptime - start.uptime : now.uptime;
  return Math.round(nowMs - Math.max(0, ageS) * 1000);
}
