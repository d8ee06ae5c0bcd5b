import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Contact, Contacts } from './contact.ts';
import type { MachineSeed, Machine, Machines } from './machines.ts';
import type { NodeInfo, Provider } from './provider.ts';

export interface CloudOptions {
  readonly machines: Machines;
  readonly contacts: Contacts;
  /** Creates the seed of a new machine: its own host key and the document that sets it up. */
  readonly makeBirth: () => MachineSeed;
  /** Maximum time from order to ready (ms); default 600,000. After it, the node is released. */
  readonly readyWithinMs?: number;
  /** Creation time of the master's key for its nodes (ms since epoch). Older nodes may not know the key. */
  readonly keyMadeAt: number;
  readonly now: () => number;
  /** Returns whether configure mode is on; overdue nodes are then released only by users. */
  readonly isFrozen: () => boolean;
  /** Called for each node that is released because it did not become ready. */
  readonly onOverdue: (node: NodeId, error: OverworldError) => void;
  readonly log: { error(details: object, message: string): void };
}

/**
 * Default of `readyWithinMs` (ms), well above the time for a cloud server to boot and install Java (about two
 * minutes).
 */
const READY_WITHIN_MS = 600_000;

/** Minimum time that a restarted master tries to reach a node before it releases it as overdue (ms). */
const MEET_MS = 120_000;

/** A starting JVM uses about one core; more starts in parallel would slow all of them down. */
const startBudget = (cores: number): number => Math.max(2, cores);

/**
 * Creates the provider of cloud nodes. It combines what the cloud provider reports about servers with what they
 * report themselves.
 */
export function cloudProvider(options: CloudOptions): Provider {
  const { machines, contacts, readyWithinMs = READY_WITHIN_MS } = options;
  /**
   * Nodes that were ready before and that this master has not reached yet, with the start of the silence on the
   * clock of `silentSince`.
   */
  const unheardSince = new Map<NodeId, number>();
  /** Time at which this master first saw each node, on the clock of `monotonicMs()`. */
  const metAt = new Map<NodeId, number>();
  const orderedHere = new Set<NodeId>();
  /** Nodes that this master has reached. */
  const reached = new Set<NodeId>();
  /** Nodes that are released because they did not become ready; releasing may take several attempts. */
  const givenUp = new Set<NodeId>();
  /** Nodes whose release has started. */
  const released = new Set<NodeId>();
  /** Nodes whose readiness is being stored. */
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

  /** Stores the time at which a node first was ready, locally and at the provider. From then on it is never overdue. */
  const noteReady = ({ node, readyAt }: Machine): void => {
    if (readyAt !== null || beingNoted.has(node) || contacts.of(node)?.state.kind !== 'ready') return;
    beingNoted.add(node);
    machines
      .remember(node, { readyAt: options.now() })
      .catch((error: unknown) => {
        // It is retried in the next round.
        options.log.error({ err: error, node }, 'that a node is ready could not be written down yet');
      })
      .finally(() => beingNoted.delete(node));
  };

  /**
   * Reports nodes that are older than the key and were not reached. Their key is probably another one, for example
   * after an incomplete restore.
   */
  const keyTrouble = (): string | null => {
    const locked = machines.all().filter((machine) => {
      const { node, readyAt, since } = machine;
      return readyAt !== null && since < options.keyMadeAt && !reached.has(node) && machine.state === 'on';
    });
    if (locked.length === 0) return null;
    const names = locked.map(({ node }) => node).join(', ');
    return `The master's key to its nodes (config/node_key) is younger than ${names}, so it is not the one that they know. Restore config/node_key from a backup; until then nothing on them is changed. Without a backup, release them by hand.`;
  };

  const isOverdue = ({ node, since, readyAt, state }: Machine): boolean => {
    const met = metAt.get(node) ?? monotonicMs();
    if (readyAt !== null || state === 'deleting' || givenUp.has(node)) return false;
    if (contacts.of(node)?.state.kind === 'ready') return false;
    const isLate = options.now() - since > readyWithinMs;
    // If this master ordered the node, only the monotonic clock counts, because the provider's clock may differ.
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
      // It is retried in the next round, because the server costs money as long as it exists.
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
      // It was switched off, so it serves nobody but still costs money.
      return readyAt === null ? 'BOOTING' : 'LOST';
    case 'on':
      return readyAt !== null || contact?.state.kind === 'ready' ? 'READY' : 'BOOTING';
  }
}

/** Note on a machine that its provider does not report as running. */
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

/** Note on a machine that would be released if configure mode were off. */
function overdueNote(machine: Machine, contact: Contact | undefined): string {
  return `It did not become ready in time: ${whyNotReady(machine, contact)}. It stays while configure mode is on; release it by hand.`;
}

/** Returns the reason why a node is not ready, as a clause. */
function whyNotReady({ state }: Machine, contact: Contact | undefined): string {
  if (state !== 'on') return state === 'off' ? 'it was switched off' : 'its provider never said that it runs';
  const heard = contact?.state;
  if (heard?.kind === 'preparing') return `the last that it said was "${heard.step}"`;
  return (heard?.kind === 'waiting' ? heard.problem : null) ?? 'it never answered';
}
