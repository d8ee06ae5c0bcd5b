import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { Contact } from './contact.ts';
import type { Machine } from './machines.ts';
import type { NodeInfo } from './node.ts';

/**
 * Number of services that may start in parallel on a machine. A starting JVM uses about one core, so more starts
 * would slow all of them down.
 */
const startBudget = (cores: number): number => Math.max(2, cores);

/**
 * Returns a cloud machine as a node: combines what its provider reports with what the machine itself reports.
 *
 * @param contact connection to the machine; undefined if there is none
 * @param more.note note to show instead of the note about the machine's state; null to show the note about the state
 * @param more.isOverdue whether the machine did not become ready in time but is kept
 */
export function toNode(
  machine: Machine,
  contact: Contact | undefined,
  more: Pick<NodeInfo, 'silentSince' | 'isOverdue'> & { readonly note: string | null },
): NodeInfo {
  const { node, type, since, hourlyPrice } = machine;
  return {
    id: node,
    kind: 'hetzner',
    state: stateOf(machine, contact),
    note: more.note ?? noteOf(machine, contact),
    silentSince: more.silentSince,
    unprepared: contact?.state.kind === 'unprepared',
    isSettingUp: contact?.state.kind === 'unprepared' && contact.state.isSettingUp === true,
    location: machine.location,
    address: machine.address ?? '',
    ramMb: machine.ramMb,
    startBudget: startBudget(machine.cores),
    hasJava: contact?.hasJava ?? true,
    rental: { type, since, hourlyPrice },
    isUnconfirmed: machine.isUnconfirmed ?? false,
    isOverdue: more.isOverdue ?? false,
  };
}

function stateOf({ state, readyAt }: Machine, contact: Contact | undefined): NodeInfo['state'] {
  switch (state) {
    case 'ordered':
      return 'ORDERED';
    case 'starting':
      return 'BOOTING';
    case 'deleting':
      return 'DELETING';
    case 'off':
      // The machine was switched off. It runs no services but still costs money.
      return readyAt === null ? 'BOOTING' : 'LOST';
    case 'on':
      return readyAt !== null || contact?.state.kind === 'ready' ? 'READY' : 'BOOTING';
  }
}

/** Notes on machines that the provider does not report as running, by state. */
const providerNotes: Readonly<Record<Machine['state'], string | null>> = {
  ordered: 'The provider is creating it.',
  starting: 'It is being started.',
  on: null,
  off: 'It is switched off but still costs money.',
  deleting: 'The provider is deleting it.',
};

function noteOf({ state, readyAt }: Machine, contact: Contact | undefined): string | null {
  const note = providerNotes[state];
  if (note !== null) return note;
  const contactState = contact?.state;
  switch (contactState?.kind) {
    case 'ready':
      return contact?.warning ?? null;
    case 'preparing':
      return contactState.step;
    case 'unprepared':
      return `It answers, but cannot be prepared for services: ${contactState.problem}. Its running services are not affected.`;
    case 'silent':
      return `It cannot be reached: ${contactState.problem}.`;
    default:
      if (contactState !== undefined && contactState.problem !== null)
        return `It does not answer yet: ${contactState.problem}.`;
      return readyAt === null ? 'It boots and has not answered yet.' : 'Connecting to it.';
  }
}

/**
 * Returns the reason why the rules keep a node that did not become ready in time, as a clause after "while". Null if
 * they release it.
 */
export function whyKept({
  held,
  locked,
  isFrozen,
}: Pick<NodeSnapshot, 'held' | 'locked'> & { readonly isFrozen: boolean }): string | null {
  // The reasons that people have set come first. While one of them applies, a release by hand deletes nothing either.
  if (locked) return 'it is protected from release';
  if (held) return 'its automation is paused';
  return isFrozen ? 'configure mode is on; release it by hand' : null;
}

/** Returns the note on a machine that did not become ready in time but stays; for `kept` see {@link whyKept}. */
export function overdueNote(machine: Machine, contact: Contact | undefined, kept: string): string {
  return `It did not become ready in time: ${whyNotReady(machine, contact)}. It stays while ${kept}.`;
}

/** Returns the reason why a node is not ready, as a clause. */
export function whyNotReady({ state }: Machine, contact: Contact | undefined): string {
  if (state !== 'on')
    return state === 'off' ? 'it was switched off' : 'its provider never reported it as running';
  const contactState = contact?.state;
  if (contactState?.kind === 'preparing') return `its last reported step was "${contactState.step}"`;
  return (contactState?.kind === 'waiting' ? contactState.problem : null) ?? 'it never answered';
}
