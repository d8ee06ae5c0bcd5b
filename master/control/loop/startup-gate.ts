import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitMasterTrouble } from '#master/state/feed/emit-event.ts';

/** Maximum time to wait for known nodes that have not been observed (ms). Such nodes may never return. */
const LOST_STATE_WAIT_MS = 120_000;

/**
 * Maximum time to wait for the nodes if the master was just moved to this machine (ms). A firewall may block the
 * master there, while the nodes and their players are well. With a shorter wait, the master would delete these nodes
 * as lost.
 */
const MOVED_WAIT_MS = 600_000;

/**
 * Maximum time to wait for reachable nodes when the services are known from disk (ms). An observation takes well
 * under a second.
 */
const KNOWN_STATE_WAIT_MS = 10_000;

/**
 * Start of 2026 (ms since epoch). Service numbers that are derived from the time start at the number of minutes since
 * then. Such a number is higher than the number of each service that already runs. So it is not used twice, even if a
 * node has not reported its services yet.
 */
const NUMBERS_FROM_MS = 1_767_225_600_000;

type Known = Pick<Environment, 'now' | 'log' | 'moveMark'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceStores, 'records' | 'adoptions'> &
  Pick<Feed, 'events'>;

/**
 * Delays all decisions until the master knows which services run. The gate opens once each known node, including the
 * master's own machine, has been observed since the master started. Without the gate, a master that has lost its
 * state folder would request services under the ids of running ones, and stop the running ones as duplicates.
 *
 * If the records were empty at start, the gate first waits, without a limit, until the provider has listed the nodes.
 * It then opens at the latest 2 min after the start, even if some nodes have not answered. In this case, new services
 * get numbers that no service on such a node can have. If records exist, the gate waits for reachable nodes only, for
 * at most 10 s.
 *
 * The first decisions delete the nodes that count as lost, which disconnects their players. Such nodes may work, but
 * be behind a firewall that does not know this machine yet. The gate therefore also waits for lost nodes if the
 * records were empty (a restored master), or if the master was just moved to this machine (then at most 10 min).
 */
export class StartupGate {
  readonly #context: Known;
  readonly #clock: () => number;
  readonly #since: number;
  #hasSynced = false;
  #isReported = false;

  /** @param clock returns the monotonic time (ms) */
  constructor(context: Known, clock: () => number = monotonicMs) {
    this.#context = context;
    this.#clock = clock;
    this.#since = clock();
  }

  /**
   * Reports whether decisions may be made. Once true, the result stays true. Call it in every round, after the
   * observation.
   */
  hasSynced(): boolean {
    if (!this.#hasSynced && this.#mayOpen()) {
      this.#hasSynced = true;
      this.#context.moveMark?.clear();
    }
    return this.#hasSynced;
  }

  #mayOpen(): boolean {
    const { registry, log, records, now } = this.#context;
    const waitedMs = this.#clock() - this.#since;
    if (records.isRecovering && !registry.listed()) {
      if (waitedMs >= LOST_STATE_WAIT_MS) this.#report(registry.trouble() ?? 'it has not answered yet');
      return false;
    }
    const awaited = registry.nodes().filter((node) => this.#isAwaited(node));
    if (awaited.length === 0) return true;
    if (waitedMs < this.#maximumMs) return false;
    const nodes = awaited.map(({ id }) => id);
    log.warn({ nodes }, 'making decisions now, although not all nodes were observed');
    if (records.isRecovering) records.numberFrom(Math.floor((now() - NUMBERS_FROM_MS) / 60_000));
    return true;
  }

  #isAwaited({ id, state, silentSince }: NodeInfo): boolean {
    const { records, adoptions } = this.#context;
    if (adoptions.hasObserved(id)) return false;
    if (records.isRecovering || this.#isMoved) return state === 'READY' || state === 'LOST';
    return state === 'READY' && silentSince === null;
  }

  get #isMoved(): boolean {
    return this.#context.moveMark?.isSet === true;
  }

  get #maximumMs(): number {
    if (this.#isMoved) return MOVED_WAIT_MS;
    return this.#context.records.isRecovering ? LOST_STATE_WAIT_MS : KNOWN_STATE_WAIT_MS;
  }

  #report(why: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const message =
      'No services are started yet: the state of the master is lost, and the provider has not listed its nodes';
    emitMasterTrouble(this.#context.events, why, message);
  }
}
