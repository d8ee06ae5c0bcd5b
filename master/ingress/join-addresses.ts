import { isUp, serviceNumber } from '#shared/model/service.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { addressForOthers } from './address-for-others.ts';
import { joinProblems } from './join-facts.ts';
import { isProxyService } from './proxies.ts';

type Known = Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
  Parameters<typeof joinProblems>[0];

/**
 * Returns how players can join now: the state of the balancer and of the link, the join addresses, and the problems
 * that prevent players from joining.
 */
export function viewPlayerEntry(known: Known): PlayerEntry {
  const { balancer, link } = known;
  const join = joinAddresses(known);
  return { balancer: balancer.view, join, problems: [...joinProblems(known, join)], link: link.state };
}

/**
 * Returns the addresses at which players join. While the balancer accepts players, these are the balancer's
 * addresses. The balancer may accept players despite a problem. Otherwise, the list contains only the address of the
 * oldest proxy that is up and accepts players without a PROXY header, or nothing if there is none. A draining proxy is
 * in the list only if there is no other.
 */
function joinAddresses(known: Known): PlayerEntry['join'] {
  const { addresses } = known.balancer.view;
  if (addresses.length > 0) return addresses.map((address) => ({ ...address, via: 'balancer' }));
  const [first] = known.records.all
    .filter((record) => record.stopping === null && isUp(record) && isProxyService(record, known))
    .filter(({ placed }) => placed?.given.proxyProtocol !== true)
    .sort((a, b) => Number(a.draining !== null) - Number(b.draining !== null) || byAge(a, b));
  return first === undefined || first.address === null
    ? []
    : [{ ...addressForOthers(first.address, known.shownHost), via: first.id }];
}

/** Sorts the oldest service first, because people know the address of the proxy that has run longest. */
function byAge(a: ServiceRecord, b: ServiceRecord): number {
  if (a.requestedAt !== b.requestedAt) return a.requestedAt - b.requestedAt;
  return a.template === b.template ? serviceNumber(a.id) - serviceNumber(b.id) : a.id < b.id ? -1 : 1;
}
