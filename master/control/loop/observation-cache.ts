import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import { NodeObserver, type ObservedNodes } from './observed-processes.ts';

/**
 * Maximum age of an observation (ms), even if no change was reported. Some changes, such as the deletion of a folder,
 * are never reported.
 */
const QUIET_MS = 5_000;

/**
 * Observes the nodes only if something may have changed. Runtimes report when a process exits, and every action
 * invalidates the last observation, so a quiet network is not observed every second. Observing the nodes is most of
 * the work of an idle master.
 */
export class ObservationCache {
  readonly #context: Pick<ServiceStores, 'records'>;
  readonly #observer: NodeObserver;
  #last: ObservedNodes = { seen: [], answered: new Set(), silent: new Set() };
  /** When the nodes were last observed, on the monotonic clock. Null if something may have changed since. */
  #observedAt: number | null = null;

  constructor(
    context: Pick<Environment, 'log'> &
      Pick<NodeAccess, 'registry' | 'runtimeOf'> &
      Pick<ServiceStores, 'records'>,
  ) {
    this.#context = context;
    this.#observer = new NodeObserver(context);
  }

  /** Invalidates the last observation, because something has happened on a node or is about to happen. */
  invalidate(): void {
    this.#observedAt = null;
  }

  /**
   * Returns the processes on the nodes. Reuses the last observation if all of these conditions are met:
   *
   * - {@link invalidate} was not called since the observation began.
   * - The observation is less than 5 s old.
   * - Every node answered.
   * - The observation agrees with the records.
   */
  async observe(): Promise<ObservedNodes> {
    const now = monotonicMs();
    const recent = this.#observedAt !== null && now - this.#observedAt < QUIET_MS;
    if (recent && this.#agrees()) return this.#last;
    // The time is set before the observation begins, so that an event during the observation invalidates it.
    this.#observedAt = now;
    try {
      this.#last = await this.#observer.observe();
    } catch (error) {
      this.#observedAt = null;
      throw error;
    }
    return this.#last;
  }

  /**
   * Reports whether the last observation matches the records: each placed service is alive on its node, and nothing
   * else runs.
   */
  #agrees(): boolean {
    const { seen, silent } = this.#last;
    if (silent.size > 0) return false;
    const alive = new Map(
      seen.flatMap(({ node, process }) => (process.state === 'alive' ? [[process.spec.id, node]] : [])),
    );
    let placed = 0;
    for (const { id, node } of this.#context.records.all) {
      if (node === null) continue;
      placed += 1;
      if (alive.get(id) !== node) return false;
    }
    return placed === seen.length;
  }
}
