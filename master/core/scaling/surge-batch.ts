import { isReady, type ServiceSnapshot } from '../snapshot/snapshot.ts';

/**
 * Of this many services that answer status pings, one may be replaced at a time: one is replaced, and four stay.
 * Together with the replacements there are up to 25 % more services than usual, as with the default `maxSurge` of a
 * Kubernetes Deployment.
 */
const SERVICES_PER_REPLACEMENT = 5;

/**
 * Returns how many of `count` services may be replaced at a time.
 *
 * Example: 20 → 4; 3 → 1.
 */
export function batchSizeOf(count: number): number {
  return Math.max(1, Math.floor(count / SERVICES_PER_REPLACEMENT));
}

/**
 * Chooses which services of a rolling restart leave now. The others count as capacity until they are chosen. Services
 * that do not serve players always leave at once. After them, the batch is filled with empty services, then with
 * services in use; in both groups the newest come first. Empty services come first so that a service in use never
 * delays them. The batch is a fifth of `answering`, rounded down, and at least 1. If all services that are up fit
 * into the batch, all leave.
 *
 * Example: of 20 services in use, 4 leave at a time. When 2 replacements are up, the batch is still 4 (22 / 5,
 * rounded down).
 *
 * @param answering number of services of the template that are up and answer status pings, including those already
 * replaced. Services that do not answer are not counted, because they may be stopped in this round
 */
export function chooseSurgeBatch(
  retiring: readonly ServiceSnapshot[],
  answering: number,
): readonly ServiceSnapshot[] {
  const batchSize = batchSizeOf(answering);
  const ready = retiring.filter(isReady);
  const inUse = retiring.filter(({ state }) => state === 'IN_USE');
  if (ready.length + inUse.length <= batchSize) return retiring;
  return [
    ...retiring.filter((one) => one.state !== 'IN_USE' && !isReady(one)),
    ...newest(ready, batchSize),
    ...newest(inUse, batchSize - ready.length),
  ];
}

function newest(services: readonly ServiceSnapshot[], count: number): readonly ServiceSnapshot[] {
  return services.length <= count ? services : services.toSorted(newestFirst).slice(0, Math.max(0, count));
}

/**
 * Sorts the newest service first. Ids of one template differ only in their number, which has no leading zeros, so
 * the longer id is newer.
 */
function newestFirst({ id: a }: ServiceSnapshot, { id: b }: ServiceSnapshot): number {
  return b.length - a.length || (a < b ? 1 : -1);
}
