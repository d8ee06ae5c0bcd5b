/** RAM that services take and RAM that nodes provide (MB). */
export interface Load {
  readonly allocatedMb: number;
  readonly totalMb: number;
}

/**
 * Margin below `upscaling_at_percent_capacity` that must remain when a node is released (percentage points).
 * Without this margin, the next player could cause a new order.
 */
const HYSTERESIS_POINTS = 5;

/**
 * Reports whether allocated / total RAM has reached the threshold (percent; values below 1 count as 1;
 * docs/specification.md#provider). If the total is 0, any allocated RAM counts as full.
 *
 * Example: at a threshold of 80 %, 11740 of 14336 MB (81 %) is full.
 */
export function isFull({ allocatedMb, totalMb }: Load, thresholdPercent: number): boolean {
  return allocatedMb > 0 && allocatedMb * 100 >= atLeastOne(thresholdPercent) * totalMb;
}

/**
 * Returns the smallest number of additional nodes of the given RAM (MB) that bring the load below the threshold
 * (percent); 0 if it is already below.
 *
 * Example: 11740 of 14336 MB at a threshold of 80 % and nodes of 7168 MB → 1 node.
 */
export function nodesBelow(load: Load, thresholdPercent: number, nodeRamMb: number): number {
  if (!isFull(load, thresholdPercent)) return 0;
  const neededMb = (load.allocatedMb * 100) / atLeastOne(thresholdPercent);
  return Math.floor((neededMb - load.totalMb) / nodeRamMb) + 1;
}

/**
 * Reports whether the load is far enough below the threshold for a node to be released. The required distance is 5
 * percentage points, or half of the threshold if the threshold is below 10 %. `load` must already exclude that node.
 *
 * Example: at a threshold of 80 %, 74 of 100 MB is far enough below the threshold, and 75 of 100 MB is not.
 */
export function isBelowThreshold({ allocatedMb, totalMb }: Load, thresholdPercent: number): boolean {
  const limit = Math.max(thresholdPercent - HYSTERESIS_POINTS, thresholdPercent / 2);
  return allocatedMb * 100 < limit * totalMb || allocatedMb === 0;
}

/**
 * Replaces a threshold below 1 % by 1 %, because no number of nodes could bring the load below 0 %. The schema
 * forbids 0 %, but the planner accepts any number.
 */
function atLeastOne(percent: number): number {
  return Math.max(1, percent);
}

/**
 * Adds two loads.
 *
 * Example: 100 of 500 MB plus 50 of 300 MB → 150 of 800 MB.
 */
export function plus(a: Load, b: Load): Load {
  return { allocatedMb: a.allocatedMb + b.allocatedMb, totalMb: a.totalMb + b.totalMb };
}
