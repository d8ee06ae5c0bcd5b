import { isUp } from '#shared/model/service.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';

/**
 * Whether new players may be sent to a service. `going`: only while no other service of its kind is open, as it is
 * being replaced or its node is drained, and players must not be locked out.
 */
export type Admission = 'open' | 'going' | 'closed';

/**
 * Decides whether a service accepts new players.
 *
 * Example: a running service that is being replaced → `going`; one that drains → `closed`.
 *
 * @param isGoing whether its node or its template is going away
 */
export function admissionOf(record: ServiceRecord, isGoing: boolean): Admission {
  if (!isUp(record) || record.stopping !== null || record.unresponsive) return 'closed';
  // Players who are moved off a draining service must not be sent back.
  if (record.draining !== null) return 'closed';
  return isGoing || record.retiring !== null ? 'going' : 'open';
}

/**
 * Reports whether players may be sent to a service.
 *
 * Example: `going` with no other open service → true.
 *
 * @param others number of services of its kind that are `open`
 */
export function isOpen(openness: Admission, others: number): boolean {
  return openness === 'open' || (openness === 'going' && others === 0);
}
