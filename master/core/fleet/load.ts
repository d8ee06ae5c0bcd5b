/** RAM that is needed beside RAM that is there, MB. */
export interface Load {
  readonly allocatedMb: number;
  readonly totalMb: number;
}

/**
 * How far below `upscaling_at_percent_capacity` the others must stay without a node that is given back, in percentage
 * points: else the next player would order it again.
 */
const HYSTERESIS_POINTS = 5;

/** Rule 8: allocated / total has reached the threshold (docs/specification.md#provider). No RAM at all is full as soon as any is needed. */
export function isFull({ allocatedMb, totalMb }: Load, thresholdPercent: number): boolean {
  return allocatedMb > 0 && allocatedMb * 100 >= atLeastOne(thresholdPercent) * totalMb;
}

/** Smallest number of nodes with that much RAM which bring the load below the threshold. */
export function nodesBelow(load: Load, thresholdPercent: number, nodeRamMb: number): number {
  if (!isFull(load, thresholdPercent)) return 0;
  const neededMb = (load.allocatedMb * 100) / atLeastOne(thresholdPercent);
  return Math.floor((neededMb - load.totalMb) / nodeRamMb) + 1;
}

/** True when the load is far enough below the threshold for a node to go that is no longer counted in it. */
export function isRelaxed({ allocatedMb, totalMb }: Load, thresholdPercent: number): boolean {
  const limit = Math.max(thresholdPercent - HYSTERESIS_POINTS, thresholdPercent / 2);
  return allocatedMb * 100 < limit * totalMb || allocatedMb === 0;
}

/** At 0 % no number of nodes would ever be enough. The schema allows none; the planner is total all the same. */
function atLeastOne(percent: number): number {
  return Math.max(1, percent);
}

export function plus(a: Load, b: Load): Load {
  return { allocatedMb: a.allocatedMb + b.allocatedMb, totalMb: a.totalMb + b.totalMb };
}
