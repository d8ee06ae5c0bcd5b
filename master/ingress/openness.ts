import { isUp } from '#shared/model/service.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';

/**
 * Whether new players may be sent to a service. `going`: no more, as soon as another one of its kind is open: it is being
 * replaced, or its node is emptied, and nobody shall be locked out for that.
 */
export type Openness = 'open' | 'going' | 'closed';

/**
 * @param isGoing what is around it goes: its node, or its template
 */
export function opennessOf(record: ServiceRecord, isGoing: boolean): Openness {
  if (!isUp(record) || record.stopping !== null || record.unresponsive) return 'closed';
  // Players who are moved off it must not be sent back.
  if (record.draining !== null) return 'closed';
  return isGoing || record.retiring !== null ? 'going' : 'open';
}

/** @param others how many of its kind are `open` */
export function isOpen(openness: Openness, others: number): boolean {
  return openness === 'open' || (openness === 'going' && others === 0);
}
