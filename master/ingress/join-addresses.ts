import { isUp, serviceNumber } from '#shared/model/service.ts';
import type { WayIn } from '#shared/model/way-in.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';
import { addressForOthers } from './address.ts';
import { joinProblems } from './join-facts.ts';
import { isProxyService } from './proxies.ts';

type Known = Pick<ServiceState, 'records'> &
  Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
  Parameters<typeof joinProblems>[0];

/** How players come in at this moment: what the balancer and the link show, the addresses to join, and what keeps players out. */
export function viewWayIn(known: Known): WayIn {
  const { balancer, link } = known;
  const join = joinAddresses(known);
  return { balancer: balancer.view, join, problems: [...joinProblems(known, join)], link: link.state };
}

/**
 * The balancer's addresses, as long as it takes players (it may, while it is in some other trouble); else that of the first proxy
 * that takes them; else none.
 */
function joinAddresses(known: Known): WayIn['join'] {
  const { addresses } = known.balancer.view;
  if (addresses.length > 0) return addresses.map((address) => ({ ...address, via: 'balancer' }));
  const [first] = known.records.all
    .filter((record) => record.stopping === null && isUp(record) && isProxyService(record, known))
    .sort(byAge);
  return first === undefined || first.address === null
    ? []
    : [{ ...addressForOthers(first.address, known.shownHost), via: first.id }];
}

/** The address that people know is that of the one which has been there longest. */
function byAge(a: ServiceRecord, b: ServiceRecord): number {
  if (a.requestedAt !== b.requestedAt) return a.requestedAt - b.requestedAt;
  return a.template === b.template ? serviceNumber(a.id) - serviceNumber(b.id) : a.id < b.id ? -1 : 1;
}
