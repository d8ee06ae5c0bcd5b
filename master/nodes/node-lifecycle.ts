import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId, NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { overdueNote, toNode, whyKept, whyNotReady } from './cloud-node.ts';
import type { Contact, Contacts } from './contact.ts';
import type { Machine, Machines } from './machines.ts';
import type { NodeInfo } from './node.ts';

export interface NodeLifecycleOptions {
  readonly machines: Pick<Machines, 'all' | 'remember' | 'countFailure' | 'isFrozen'>;
  readonly contacts: Contacts;
  /**
   * Maximum time from order to ready (ms); default 600,000. A node that takes longer is released, unless configure
   * mode or a person keeps it.
   */
  readonly readyWithinMs?: number | undefined;
  /**
   * Creation time of the master's key for its nodes (ms since epoch). Nodes that were created earlier may not
   * accept the key.
   */
  readonly keyMadeAt: number;
  readonly now: () => number;
  /** Returns whether people have paused the automation of a node, or protected the node from release. */
  readonly overridesOf: (node: NodeId) => Pick<NodeSnapshot, 'held' | 'locked'>;
  readonly release: (node: NodeId) => Promise<void>;
  /** Called for each node that is released because it did not become ready. */
  readonly onOverdue: (node: NodeId, error: OverworldError) => void;
  readonly log: { error(details: object, message: string): void };
}

/**
 * Default of `readyWithinMs` (ms), well above the time for a cloud server to boot and install Java (about two
 * minutes).
 */
const READY_WITHIN_MS = 600_000;

/** Minimum time for which a restarted master tries to reach an overdue node before it releases the node (ms). */
const MEET_MS = 120_000;

/** What this master has observed of one machine since it started. Times are on the clock of `monotonicMs()`. */
interface Observed {
  /** Time at which this master first saw the machine. */
  readonly metAt: number;
  /**
   * Time since which this master has failed to reach the machine. Null if the master has reached it, or if the
   * machine was never ready.
   */
  unreachableSince: number | null;
  isReached: boolean;
  /** Whether the machine was counted as one that did not become ready. */
  isFailed: boolean;
  /** Whether the machine is being released because it did not become ready. A release may take several attempts. */
  isGivenUp: boolean;
  /** Whether the time at which the machine became ready is being stored. */
  isBeingNoted: boolean;
}

/**
 * Tracks cloud machines until they are ready. Stores the time at which each machine was ready for the first time.
 * Releases machines that do not become ready within `readyWithinMs` (10 min by default), unless configure mode or a
 * person keeps them.
 */
export class NodeLifecycle {
  readonly #options: NodeLifecycleOptions;
  readonly #readyWithinMs: number;
  readonly #observed = new Map<NodeId, Observed>();
  readonly #orderedHere = new Set<NodeId>();

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    this.#readyWithinMs = options.readyWithinMs ?? READY_WITHIN_MS;
  }

  /** Registers a machine that this master orders. */
  expect(node: NodeId): void {
    this.#orderedHere.add(node);
  }

  /** Returns the cloud machines as nodes, with their current states. */
  nodes(): NodeInfo[] {
    const { machines, contacts } = this.#options;
    return machines.all().map((machine) => {
      const contact = contacts.of(machine.node);
      const kept = this.#isOverdue(machine) ? this.#whyKept(machine) : null;
      const note = kept === null ? null : overdueNote(machine, contact, kept);
      return toNode(machine, contact, {
        silentSince: this.#silentSince(machine, contact),
        note,
        isOverdue: kept !== null,
      });
    });
  }

  /**
   * Keeps connections to exactly the machines that are on, and stores which machines have become ready. Begins the
   * release of overdue machines, unless configure mode is on or people keep them. Called after each refresh.
   */
  update(): void {
    const all = this.#options.machines.all();
    this.#options.contacts.keep(all.filter(({ state, address }) => state === 'on' && address !== null));
    for (const machine of all) {
      this.#noteReady(machine);
      this.#releaseOverdue(machine);
    }
    const known = new Set(all.map(({ node }) => node));
    for (const node of this.#observed.keys()) {
      if (known.has(node)) continue;
      this.#observed.delete(node);
      this.#orderedHere.delete(node);
    }
  }

  /**
   * Returns a sentence about nodes that are older than the master's key and were never reached; null if there are
   * none. They probably accept only an earlier key, for example after an incomplete restore of the master.
   */
  trouble(): string | null {
    const { machines, keyMadeAt } = this.#options;
    const locked = machines.all().filter(({ node, readyAt, since, state }) => {
      return readyAt !== null && since < keyMadeAt && !this.#of(node).isReached && state === 'on';
    });
    if (locked.length === 0) return null;
    const names = locked.map(({ node }) => node).join(', ');
    return `The master's key to its nodes (config/node_key) is newer than ${names}, so they do not accept it. Restore config/node_key from a backup; until then nothing on them is changed. Without a backup, release them by hand.`;
  }

  #of(node: NodeId): Observed {
    let observed = this.#observed.get(node);
    if (observed === undefined) {
      observed = {
        metAt: monotonicMs(),
        unreachableSince: null,
        isReached: false,
        isFailed: false,
        isGivenUp: false,
        isBeingNoted: false,
      };
      this.#observed.set(node, observed);
    }
    return observed;
  }

  #silentSince({ node, readyAt }: Machine, contact: Contact | undefined): number | null {
    const observed = this.#of(node);
    switch (contact?.state.kind) {
      case 'ready':
        observed.isReached = true;
        observed.unreachableSince = null;
        return null;
      case 'unprepared':
        observed.isReached = true;
        return contact.state.since;
      case 'silent':
        return contact.state.since;
      default:
        if (readyAt === null) return null;
        return (observed.unreachableSince ??= monotonicMs());
    }
  }

  /**
   * Stores the time at which a node was ready for the first time, locally and at the provider. From then on it is
   * never overdue.
   */
  #noteReady({ node, readyAt }: Machine): void {
    const { machines, contacts, now, log } = this.#options;
    const observed = this.#of(node);
    if (readyAt !== null || observed.isBeingNoted || contacts.of(node)?.state.kind !== 'ready') return;
    observed.isBeingNoted = true;
    machines
      .remember(node, { readyAt: now() })
      .catch((error: unknown) => {
        // Storing is retried in the next round.
        log.error({ err: error, node }, 'the readiness of a node could not be stored yet');
      })
      .finally(() => (observed.isBeingNoted = false));
  }

  #isOverdue({ node, since, readyAt, state }: Machine): boolean {
    const { contacts, now } = this.#options;
    const { metAt, isGivenUp } = this.#of(node);
    if (readyAt !== null || state === 'deleting' || isGivenUp) return false;
    if (contacts.of(node)?.state.kind === 'ready') return false;
    const isLate = now() - since > this.#readyWithinMs;
    // For a node that this master ordered, `readyWithinMs` must also pass on the master's monotonic clock, because
    // the provider's clock may differ.
    const patienceMs = this.#orderedHere.has(node)
      ? this.#readyWithinMs
      : Math.min(MEET_MS, this.#readyWithinMs);
    return isLate && monotonicMs() - metAt >= patienceMs;
  }

  #whyKept({ node }: Machine): string | null {
    const { machines, overridesOf } = this.#options;
    const { held, locked } = overridesOf(node);
    return whyKept({ held, locked, isFrozen: machines.isFrozen() });
  }

  #releaseOverdue(machine: Machine): void {
    const { machines, contacts, release, onOverdue, log } = this.#options;
    if (machines.isFrozen() || !this.#isOverdue(machine)) return;
    const { node } = machine;
    const observed = this.#of(node);
    const why = whyNotReady(machine, contacts.of(node));
    // A node that is kept counts as well, because the next nodes may fail for the same reason.
    if (!observed.isFailed) machines.countFailure(node, why);
    observed.isFailed = true;
    if (this.#whyKept(machine) !== null) return;
    observed.isGivenUp = true;
    onOverdue(node, new OverworldError('NODE_OVERDUE', { node, afterMs: this.#readyWithinMs, why }));
    release(node).catch((error: unknown) => {
      // The release is retried in the next round, because the server costs money as long as it exists.
      observed.isGivenUp = false;
      log.error({ err: error, node }, 'a node that did not become ready could not be released yet');
    });
  }
}
