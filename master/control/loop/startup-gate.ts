import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Feed } from '../context/feed.ts';
import { emitMasterTrouble } from '../feed/emit-event.ts';

/** Maximum time to wait for known nodes that have not been observed (ms). They may never return. */
const LOST_STATE_WAIT_MS = 120_000;

/**
 * Maximum time to wait for reachable nodes when the services are known from disk (ms). An observation takes well
 * under a second.
 */
const KNOWN_STATE_WAIT_MS = 10_000;

/**
 * Epoch of the minutes that are used as service numbers (start of 2026, ms since epoch). A node that was not
 * observed in time may run services with lower numbers.
 */
const NUMBERS_FROM_MS = 1_767_225_600_000;

type Known = Pick<Environment, 'now' | 'log'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceState, 'records' | 'adoptions'> &
  Pick<Feed, 'events'>;

/**
 * Delays all decisions until the master knows what runs. It opens once each known node, including the master's own
 * machine, has been observed since the master started. Without it, a master that has lost its state folder would
 * request services under the ids of running ones, and stop those as duplicates.
 *
 * If the records were empty at start, it waits until the provider has listed the nodes. It waits for a node that
 * does not answer for a limited time, and then assigns only numbers that no service there can have. If records
 * exist, it waits for reachable nodes only.
 */
export class StartupGate {
  readonly #context: Known;
  readonly #clock: () => number;
  readonly #since: number;
  #hasSynced = false;
  #isReported = false;

  /** @param clock monotonic (ms) */
  constructor(context: Known, clock: () => number = monotonicMs) {
    this.#context = context;
    this.#clock = clock;
    this.#since = clock();
  }

  /** Reports whether decisions may be made. Once true, it stays true. Call it in every round after the observation. */
  hasSynced(): boolean {
    this.#hasSynced ||= this.#mayOpen();
    return this.#hasSynced;
  }

  #mayOpen(): boolean {
    const { registry, log, records, now } = this.#context;
    const waitedMs = this.#clock() - this.#since;
    if (records.wasEmpty && !registry.listed()) {
      if (waitedMs >= LOST_STATE_WAIT_MS) this.#report(registry.trouble() ?? 'it has not answered yet');
      return false;
    }
    const awaited = registry.nodes().filter((node) => this.#isAwaited(node));
    if (awaited.length === 0) return true;
    if (waitedMs < (records.wasEmpty ? LOST_STATE_WAIT_MS : KNOWN_STATE_WAIT_MS)) return false;
    const nodes = awaited.map(({ id }) => id);
    log.warn({ nodes }, 'decides now, though not all nodes were observed');
    if (records.wasEmpty) records.numberFrom(Math.floor((now() - NUMBERS_FROM_MS) / 60_000));
    return true;
  }

  #isAwaited({ id, state, silentSince }: NodeInfo): boolean {
    const { records, adoptions } = this.#context;
    return state === 'READY' && !adoptions.hasObserved(id) && (records.wasEmpty || silentSince === null);
  }

  #report(why: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const message =
      'No services are started yet: the state of the master is lost, and the provider has not listed its nodes';
    emitMasterTrouble(this.#context.events, why, message);
  }
}
