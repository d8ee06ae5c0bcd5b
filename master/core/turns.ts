import { serviceNumber } from '#shared/model/service.ts';
import { isReady, type ServiceSnapshot } from './snapshot.ts';

/**
 * For so many services that are up one may be on its way out: one for each four that stay. With its replacement it is
 * up to a quarter more than there would be otherwise, as a Kubernetes Deployment's `maxSurge` (25 % if nothing is said).
 */
const UP_FOR_ONE_TURN = 5;

/**
 * Of a template's services that a person has replaced, those whose turn it is to leave. All others are capacity as
 * before until it is theirs. What serves nobody goes at once; then come those that nobody uses, then those in use; of
 * these the newest first. A service in use keeps no other from its turn, as those that are empty come before it.
 *
 * Example: of 20 services in use 4 have their turn; when 2 replacements for these are up, still 22 / 5 = 4.
 *
 * @param up how many services of the template are up, also those that are replaced already
 */
export function chooseInTurn(retiring: readonly ServiceSnapshot[], up: number): readonly ServiceSnapshot[] {
  const turns = Math.max(1, Math.floor(up / UP_FOR_ONE_TURN));
  const serving = retiring.filter(servesSomebody);
  if (serving.length <= turns) return retiring;
  const chosen = serving
    .map((service) => ({ service, inUse: isReady(service) ? 0 : 1, number: serviceNumber(service.id) }))
    .sort((a, b) => a.inUse - b.inUse || b.number - a.number)
    .slice(0, turns)
    .map(({ service }) => service);
  return [...retiring.filter((one) => !servesSomebody(one)), ...chosen];
}

function servesSomebody(service: ServiceSnapshot): boolean {
  return isReady(service) || service.state === 'IN_USE';
}
