import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Contact, Contacts } from './contact.ts';
import type { MachineSeed, Machine, Machines } from './machines.ts';
import type { NodeInfo, Provider } from './provider.ts';

export interface CloudOptions {
  readonly machines: Machines;
  readonly contacts: Contacts;
  /** Makes what a new machine is ordered with: a host key of its own, and the document that sets it up. */
  readonly makeBirth: () => MachineSeed;
  /** A machine that is not ready so long after it was ordered never will be, ms; 600,000. */
  readonly readyWithinMs?: number;
  /** When the master's key for its nodes was made, ms since epoch: machines that are older may not know it. */
  readonly keyMadeAt: number;
  readonly now: () => number;
  /** True in configure mode: no machine is given up, a person releases it. */
  readonly isFrozen: () => boolean;
  /** Told of each machine that is given up before it was ready. */
  readonly onOverdue: (node: NodeId, error: OverworldError) => void;
  readonly log: { error(details: object, message: string): void };
}

/** Well above what a cloud server takes to boot and to install Java (about two minutes). */
const READY_WITHIN_MS = 600_000;

/** A master that was away gets this time to reach a machine before it gives it up, ms. */
const MEET_MS = 120_000;

/** A JVM takes about one core while it starts; more at once make all of them slower. */
const startBudget = (cores: number): number => Math.max(2, cores);

/** Rented machines as nodes: what their provider says of them joined with what they say themselves. */
export function cloudProvider(options: CloudOptions): Provider {
  const { machines, contacts, readyWithinMs = READY_WITHIN_MS } = options;
  /** Known to be ready before this master has reached them: since when, on the clock of `silentSince`. */
  const unheardSince = new Map<NodeId, number>();
  /** When this master first saw each machine, as `monotonicMs()` gives it. */
  const metAt = new Map<NodeId, number>();
  const orderedHere = new Set<NodeId>();
  /** This master has been on them. */
  const reached = new Set<NodeId>();
  /** Given up before they were ready; the release may take several tries. */
  const givenUp = new Set<NodeId>();
  /** Whose release has begun. */
  const released = new Set<NodeId>();
  /** Whose readiness is being written down. */
  const beingNoted = new Set<NodeId>();

  const silentSince = ({ node, readyAt }: Machine, contact: Contact | undefined): number | null => {
    if (contact?.state.kind === 'ready') {
      reached.add(node);
      unheardSince.delete(node);
      return null;
    }
    if (contact?.state.kind === 'unprepared') {
      reached.add(node);
      return contact.state.since;
    }
    if (contact?.state.kind === 'silent') return contact.state.since;
    if (readyAt === null) return null;
    const since = unheardSince.get(node) ?? monotonicMs();
    unheardSince.set(node, since);
    return since;
  };

  const toNode = (machine: Machine): NodeInfo => {
    const { node, type, since, hourlyPrice } = machine;
    const contact = contacts.of(node);
    return {
      id: node,
      kind: 'hetzner',
      state: stateOf(machine, contact),
      note:
        options.isFrozen() && isOverdue(machine) ? overdueNote(machine, contact) : noteOf(machine, contact),
      silentSince: silentSince(machine, contact),
      unprepared: contact?.state.kind === 'unprepared',
      location: machine.location,
      address: machine.address ?? '',
      ramMb: machine.ramMb,
      startBudget: startBudget(machine.cores),
      hasJava: contact?.hasJava ?? true,
      rental: { type, since, hourlyPrice },
    };
  };

  /** The first time that a machine is ready is written down, here and at its provider: then it is never overdue again. */
  const noteReady = ({ node, readyAt }: Machine): void => {
    if (readyAt !== null || beingNoted.has(node) || contacts.of(node)?.state.kind !== 'ready') return;
    beingNoted.add(node);
    machines
      .remember(node, { readyAt: options.now() })
      .catch((error: unknown) => {
        // Tried again in the next round.
        options.log.error({ err: error, node }, 'that a node is ready could not be written down yet');
      })
      .finally(() => beingNoted.delete(node));
  };

  /** Nodes that are older than the key and were not reached: the key is another one, as after half a restore. */
  const keyTrouble = (): string | null => {
    const locked = machines.all().filter((machine) => {
      const { node, readyAt, since } = machine;
      return readyAt !== null && since < options.keyMadeAt && !reached.has(node) && machine.state === 'on';
    });
    if (locked.length === 0) return null;
    const names = locked.map(({ node }) => node).join(', ');
    return `The master's key to its nodes (config/node_key) is younger than ${names}, so it is not the one that they know. Restore config/node_key from a backup; until then nothing on them is touched. Without one, give them back by hand.`;
  };

  const isOverdue = ({ node, since, readyAt, state }: Machine): boolean => {
    const met = metAt.get(node) ?? monotonicMs();
    if (readyAt !== null || state === 'deleting' || givenUp.has(node)) return false;
    if (contacts.of(node)?.state.kind === 'ready') return false;
    const isLate = options.now() - since > readyWithinMs;
    // One that was ordered under this master's eyes is timed by a clock that nobody sets: the provider's may differ.
    const patienceMs = orderedHere.has(node) ? readyWithinMs : Math.min(MEET_MS, readyWithinMs);
    return isLate && monotonicMs() - met >= patienceMs;
  };

  const release = (node: NodeId): Promise<void> => {
    released.add(node);
    return machines.release(node);
  };

  const giveUpOverdue = (machine: Machine): void => {
    const { node } = machine;
    if (!metAt.has(node)) metAt.set(node, monotonicMs());
    if (options.isFrozen() || !isOverdue(machine)) return;
    givenUp.add(node);
    const why = whyNotReady(machine, contacts.of(node));
    machines.countFailure(node, why);
    options.onOverdue(node, new OverworldError('NODE_OVERDUE', { node, afterMs: readyWithinMs, why }));
    release(node).catch((error: unknown) => {
      // Tried again in the next round: it is paid for as long as it is there.
      givenUp.delete(node);
      options.log.error({ err: error, node }, 'a node that did not become ready could not be released yet');
    });
  };

  return {
    nodes: () => machines.all().map(toNode),
    refresh: async () => {
      await machines.refresh();
      const all = machines.all();
      contacts.keep(all.filter(({ state, address }) => state === 'on' && address !== null));
      for (const machine of all) {
        noteReady(machine);
        giveUpOverdue(machine);
      }
      const known = new Set(all.map(({ node }) => node));
      for (const node of metAt.keys()) {
        if (known.has(node)) continue;
        givenUp.delete(node);
        unheardSince.delete(node);
        metAt.delete(node);
        orderedHere.delete(node);
        reached.delete(node);
      }
    },
    listed: () => machines.listed(),
    trouble: () => machines.trouble() ?? keyTrouble(),
    market: () => machines.supply(),
    rents: {
      order: (order) => {
        orderedHere.add(order.node);
        return machines.order(order, options.makeBirth());
      },
      release,
      hasReleased: (node) => released.has(node),
    },
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
      // Whoever switched it off: it serves nobody, and it is paid for.
      return readyAt === null ? 'BOOTING' : 'LOST';
    case 'on':
      return readyAt !== null || contact?.state.kind === 'ready' ? 'READY' : 'BOOTING';
  }
}

/** What there is to say of a machine whose provider does not say that it runs. */
const providerNotes: Readonly<Record<Machine['state'], string | null>> = {
  ordered: 'The provider is making it.',
  starting: 'It is being started.',
  on: null,
  off: "It is switched off at its provider's, where it costs as much as ever.",
  deleting: 'The provider is deleting it.',
};

function noteOf({ state, readyAt }: Machine, contact: Contact | undefined): string | null {
  const note = providerNotes[state];
  if (note !== null) return note;
  const heard = contact?.state;
  switch (heard?.kind) {
    case 'ready':
      return contact?.warning ?? null;
    case 'preparing':
      return heard.step;
    case 'unprepared':
      return `It answers, but what services need cannot be put there: ${heard.problem}. Its services are left alone.`;
    case 'silent':
      return `It cannot be reached: ${heard.problem}.`;
    default:
      if (heard !== undefined && heard.problem !== null) return `It does not answer yet: ${heard.problem}.`;
      return readyAt === null ? 'It boots and has not answered yet.' : 'It is being connected to.';
  }
}

/** Of one that would be given up if configure mode were off. */
function overdueNote(machine: Machine, contact: Contact | undefined): string {
  return `It did not become ready in time: ${whyNotReady(machine, contact)}. It stays while configure mode is on; release it by hand.`;
}

/** A part of a sentence. */
function whyNotReady({ state }: Machine, contact: Contact | undefined): string {
  if (state !== 'on') return state === 'off' ? 'it was switched off' : 'its provider never said that it runs';
  const heard = contact?.state;
  if (heard?.kind === 'preparing') return `the last that it said was "${heard.step}"`;
  return (heard?.kind === 'waiting' ? heard.problem : null) ?? 'it never answered';
}
