import { isUp, serviceNumber } from '#shared/model/service.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';
import { addressForOthers } from './address.ts';
import { joinProblems } from './join-facts.ts';
import { isProxyService } from './proxies.ts';

type Known = Pick<ServiceState, 'records'> &
  Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
  Parameters<typeof joinProblems>[0];

/**
 * Returns how players can join now: the state of the balancer and the link, the join addresses, and the problems
 * that keep players out.
 */
export function viewWayIn(known: Known): PlayerEntry {
  const { balancer, link } = known;
  const join = joinAddresses(known);
  return { balancer: balancer.view, join, problems: [...joinProblems(known, join)], link: link.state };
}

/**
 * Returns the balancer's addresses as long as it accepts players (it may, even with another problem). Otherwise
 * returns the address of the oldest proxy that is up, or an empty list.
 */
function joinAddresses(known: Known): PlayerEntry['join'] {
  const { addresses } = known.balancer.view;
  if (addresses.length > 0) return addresses.map((address) => ({ ...address, via: 'balancer' }));
  const [first] = known.records.all
    .filter((record) => record.stopping === null && isUp(record) && isProxyService(record, known))
    .sort(byAge);
  return first === undefined || first.address === null
    ? []
    : [{ ...addressForOthers(first.address, known.shownHost), via: first.id }];
}

/** Oldest first: the address of the longest-running proxy is the one that people know. */
function byAge(a: ServiceRecord, b: ServiceRecord): number {
  if (a.requestedAt !== b.requestedAt) return a.requestedAt - b.requestedAt;
  return a.template === b.template ? serviceNumber(a.id) - serviceNumber(b.id) : a.id < b.id ? -1 : 1;
}
