import { isReady, type ServiceSnapshot } from '../snapshot/snapshot.ts';

/**
 * For so many services that answer one may be on its way out: one for each four that stay. With its replacement it is
 * up to a quarter more than there would be otherwise, as a Kubernetes Deployment's `maxSurge` (25 % if nothing is said).
 */
const ANSWERING_FOR_ONE_TURN = 5;

/**
 * Of a template's services that a person has replaced, those whose turn it is to leave. All others are capacity as
 * before until it is theirs. What serves nobody goes at once; then come those that nobody uses, then those in use; of
 * these the newest first. A service in use keeps no other from its turn, as those that are empty come before it.
 *
 * Example: of 20 services in use 4 have their turn; when 2 replacements for these are up, still 22 / 5 = 4.
 *
 * @param answering how many services of the template are up and answer, also those that are replaced already. What does
 * not answer may be stopped in this very round, and would take its share of the turns with it
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

/** Ids of one template differ in their numbers alone, which have no leading zeros: of two the longer one is newer. */
function newestFirst({ id: a }: ServiceSnapshot, { id: b }: ServiceSnapshot): number {
  return b.length - a.length || (a < b ? 1 : -1);
}
