import type { ContactState } from '../contact.ts';

/** If no node has answered for this time, the firewall may be blocking a changed address of the master (ms). */
const CUT_OFF_MS = 20_000;

const ANSWERING: ReadonlySet<ContactState['kind']> = new Set(['ready', 'preparing', 'unprepared']);

/**
 * Reports whether this master may be locked out of all its nodes: at least one was ready before, and none has
 * answered for 20 s.
 *
 * Example: a node that has been silent for 30 s and another one that is waiting give true.
 *
 * @param states states of all managed machines
 * @param now current time on the clock of `ContactState.since` (ms)
 */
export function isCutOff(states: readonly ContactState[], now: number): boolean {
  const silent = states.filter((state) => state.kind === 'silent');
  if (silent.length === 0 || states.some(({ kind }) => ANSWERING.has(kind))) return false;
  return silent.every(({ since }) => now - since > CUT_OFF_MS);
}
