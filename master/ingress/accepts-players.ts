import { isUp } from '#shared/model/service.ts';
import type { NodeView } from '#master/state/nodes/node-view.ts';
import type { PingState } from '#master/state/pings/pinger.ts';
import { isUnconfirmed, lastUpOf, type ServiceRecord } from '#master/state/services/records.ts';
import { hasAmpleRoom, hasRoom } from './presence.ts';

/**
 * Whether new players may be sent to a service. `going`: the service will leave, its node cannot be reached, or its
 * plugin has failed to connect. Such a service gets new players only while its kind needs it
 * ({@link makesGoingUnneeded}), because these players could not join at all without it.
 */
export type Admission = 'open' | 'going' | 'closed';

/** What decides, besides its record, whether a service accepts new players. */
export interface AdmissionFacts {
  /** Node of the service; undefined if it is not known. */
  readonly node: Pick<NodeView, 'state' | 'silent'> | undefined;
  /** Result of the service's latest ping; null if it was not pinged yet. */
  readonly ping: Pick<PingState, 'answer'> | null;
  /** Whether the service's template is being deleted. */
  readonly isTemplateGoing: boolean;
  /** Whether the service is a proxy whose plugin has failed to connect to the master. */
  readonly isUnlinked: boolean;
}

/**
 * Decides whether a service accepts new players:
 *
 * - `closed`: it is not up, does not answer, stops or drains, has exited, or its node is lost. Players who were moved
 *   away from a draining service must not be sent back to it.
 * - `going`: it is being replaced, its node is being drained, or its template is being deleted. Or its node and the
 *   service itself do not answer at the moment. Or it is a proxy that probably rejects all players, because its plugin
 *   has failed to connect.
 * - `open`: otherwise. This includes a game server that was up before a restart of the master and has not been pinged
 *   by this master yet, and each proxy that may have been up, because all players may be on it.
 *
 * Example: a running service that is being replaced → `going`; a service that drains → `closed`.
 */
export function admissionOf(record: ServiceRecord, facts: AdmissionFacts): Admission {
  const { node, isTemplateGoing, isUnlinked } = facts;
  if (record.stopping !== null || record.draining !== null) return 'closed';
  if (record.unresponsive || record.hasEnded) return 'closed';
  if (node?.state === 'LOST' || !(isUp(record) || mayBeUp(record, facts))) return 'closed';
  const isNodeGoing = node?.state === 'DRAINING' || isCutOff(facts);
  const isGoing = isTemplateGoing || isNodeGoing || isUnlinked || record.retiring !== null;
  return isGoing ? 'going' : 'open';
}

/**
 * Reports whether a service that has not answered this master yet may be up. HAProxy checks proxies itself, so only game
 * servers have to answer pings.
 */
function mayBeUp(record: ServiceRecord, { ping }: AdmissionFacts): boolean {
  if (!isUnconfirmed(record)) return false;
  if (record.placed?.values.isProxy === true) return true;
  return lastUpOf(record) !== null && ping?.answer !== null;
}

function isCutOff({ node, ping }: AdmissionFacts): boolean {
  return node !== undefined && node.silent !== false && ping !== null && ping.answer === null;
}

/**
 * Reports whether `going` services get no new players because of this `open` service of the same kind: because it has
 * a free slot or, while they do get new players, because it has {@link hasAmpleRoom ample room}. Without this
 * difference, they would be opened and closed with each player who joins or leaves a nearly full network.
 *
 * @param isNeeded whether the `going` services of the kind get new players now. Of the same kind are all proxies, or
 *   all services of the same template
 * @param limit `max_online_players`
 */
export function makesGoingUnneeded(open: ServiceRecord, isNeeded: boolean, limit: number): boolean {
  return isNeeded ? hasAmpleRoom(open, limit) : hasRoom(open, limit);
}

/**
 * Reports whether players may be sent to a service with this admission. `open`: yes. `going`: only if its kind needs
 * it. `closed`: no.
 *
 * @param isNeeded whether no `open` service of the same kind makes it unneeded ({@link makesGoingUnneeded})
 */
export function isOpen(admission: Admission, isNeeded: boolean): boolean {
  return admission === 'open' || (admission === 'going' && isNeeded);
}
