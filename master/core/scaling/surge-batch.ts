import { isReady, type ServiceSnapshot } from '../snapshot/snapshot.ts';

/**
 * Number of answering services per service that may be replaced at a time: one for every four that stay. With the
 * replacements there are up to 25 % more services than usual, as with a Kubernetes Deployment's default `maxSurge`.
 */
const ANSWERING_FOR_ONE_TURN = 5;

/**
 * Chooses which services of a rolling replacement leave now. All others count as capacity until their turn.
 * Services that do not serve players leave at once. Then come empty ones, then those in use; of these the newest
 * first. A service in use never delays the others, as empty ones come first.
 *
 * Example: of 20 services in use, 4 leave at a time; when 2 replacements are up it is still 4 (22 / 5 rounded
 * down).
 *
 * @param answering number of services of the template that are up and answer, also those already replaced. Services
 *   that do not answer do not count, as they may be stopped in this round
 */
export function chooseSurgeBatch(
  retiring: readonly ServiceSnapshot[],
  answering: number,
): readonly ServiceSnapshot[] {
  const turns = Math.max(1, Math.floor(answering / ANSWERING_FOR_ONE_TURN));
  const ready = retiring.filter(isReady);
  const inUse = retiring.filter(({ state }) => state === 'IN_USE');
  if (ready.length + inUse.length <= turns) return retiring;
  return [
    ...retiring.filter((one) => one.state !== 'IN_USE' && !isReady(one)),
    ...newest(ready, turns),
    ...newest(inUse, turns - ready.length),
  ];
}

function newest(services: readonly ServiceSnapshot[], count: number): readonly ServiceSnapshot[] {
  return services.length <= count ? services : services.toSorted(newestFirst).slice(0, Math.max(0, count));
}

/**
 * Sorts newest first. Ids of one template differ only in their number, without leading zeros: the longer id is
 * newer.
 */
function newestFirst({ id: a }: ServiceSnapshot, { id: b }: ServiceSnapshot): number {
  return b.length - a.length || (a < b ? 1 : -1);
}
