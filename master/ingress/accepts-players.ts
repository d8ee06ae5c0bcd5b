import { isUp } from '#shared/model/service.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

/**
 * Whether new players may be sent to a service. `going`: the service is being replaced, or its node is being drained,
 * or its template is being deleted. Such a service gets new players only while no other service of its kind is open,
 * because players could not join at all without it.
 */
export type Admission = 'open' | 'going' | 'closed';

/**
 * Decides whether a service accepts new players: `open`, `closed`, or `going` if it accepts them only while no other
 * service of its kind is open.
 *
 * Example: a running service that is being replaced → `going`; a service that drains → `closed`.
 *
 * @param isGoing whether the service's node is being drained or its template is being deleted
 */
export function admissionOf(record: ServiceRecord, isGoing: boolean): Admission {
  if (!isUp(record) || record.stopping !== null || record.unresponsive) return 'closed';
  // Players who were moved away from a draining service must not be sent back to it.
  if (record.draining !== null) return 'closed';
  return isGoing || record.retiring !== null ? 'going' : 'open';
}

/**
 * Reports whether players may be sent to a service with this admission. `open`: yes. `going`: only if no other
 * service is open. `closed`: no.
 *
 * Example: `going` with no other open service → true.
 *
 * @param others number of `open` services of the same kind: proxies, or services of the same template
 */
export function isOpen(openness: Admission, others: number): boolean {
  return openness === 'open' || (openness === 'going' && others === 0);
}
