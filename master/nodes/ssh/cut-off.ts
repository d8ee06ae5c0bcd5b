import type { ContactState } from '../contact.ts';

/** When nobody was reached for so long, it may be us: our own address is another one now, and firewalls keep it out. */
const CUT_OFF_MS = 20_000;

const ANSWERING: ReadonlySet<ContactState['kind']> = new Set(['ready', 'preparing', 'unprepared']);

/**
 * Whether this master may be locked out of all its nodes: some were ready, and not one has answered for a while.
 *
 * @param states of all machines that are kept
 * @param now on the clock of `ContactState.since`
 */
export function isCutOff(states: readonly ContactState[], now: number): boolean {
  const silent = states.filter((state) => state.kind === 'silent');
  if (silent.length === 0 || states.some(({ kind }) => ANSWERING.has(kind))) return false;
  return silent.every(({ since }) => now - since > CUT_OFF_MS);
}
