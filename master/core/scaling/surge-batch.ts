import { isReady, type ServiceSnapshot } from '../snapshot/snapshot.ts';

/**
 * For each group of this many services that answer status pings, one service may be replaced at a time: of five
 * services, one is replaced and four stay. With the replacements there are up to 25 % more services than usual, as with
 * a Kubernetes Deployment's default `maxSurge`.
 */
const SERVICES_PER_REPLACEMENT = 5;

/**
 * Chooses which services of a rolling replacement leave now. The others count as capacity until they are chosen.
 * Services that do not serve players leave at once. Then come empty services, then those in use; in both groups the
 * newest come first. Empty services come first so that a service in use never delays them. The batch is a fifth of
 * `answering`, at least 1; if all services that are up fit into it, all leave.
 *
 * Example: of 20 services in use, 4 leave at a time; when 2 replacements are up, the number is still 4 (22 / 5 rounded
 * down).
 *
 * @param answering number of services of the template that are up and answer status pings, including those already
 *   replaced. Services that do not answer are not counted, because they may be stopped in this round
 */
export function chooseSurgeBatch(
  retiring: readonly ServiceSnapshot[],
  answering: number,
): readonly ServiceSnapshot[] {
  const batchSize = Math.max(1, Math.floor(answering / SERVICES_PER_REPLACEMENT));
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
