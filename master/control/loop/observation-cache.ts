import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import { NodeObserver, type ObservedNodes } from './observed-processes.ts';

/** Looks at least so often though nothing was heard, ms: for what nobody tells, as a folder that somebody deleted. */
const QUIET_MS = 5_000;

/**
 * Looks at the nodes when there may be something to see. Processes tell their end and whoever acts says so, so a quiet
 * network need not be looked through every second, which is most of what an idle master would cost.
 */
export class ObservationCache {
  readonly #parts: Pick<ServiceState, 'records'>;
  readonly #observer: NodeObserver;
  #last: ObservedNodes = { seen: [], heard: new Set(), silent: new Set() };
  /** When it last looked, on a clock that nobody sets; null: something has happened since. */
  #lookedAt: number | null = null;

  constructor(
    parts: Pick<Environment, 'log'> &
      Pick<NodeAccess, 'provider' | 'runtimeOf' | 'troubles'> &
      Pick<ServiceState, 'records'>,
  ) {
    this.#parts = parts;
    this.#observer = new NodeObserver(parts);
  }

  /** Something happened, or is about to: what was seen is out of date. */
  expectNews(): void {
    this.#lookedAt = null;
  }

  /** What is on the nodes now; what was there a moment ago as long as nothing has happened since. */
  async look(): Promise<ObservedNodes> {
    const now = monotonicMs();
    const recent = this.#lookedAt !== null && now - this.#lookedAt < QUIET_MS;
    if (recent && this.#agrees()) return this.#last;
    // Set before looking: what happens meanwhile calls for another look.
    this.#lookedAt = now;
    try {
      this.#last = await this.#observer.look();
    } catch (error) {
      this.#lookedAt = null;
      throw error;
    }
    return this.#last;
  }

  /** What was seen is used again only while the records say the same: each placed service alive on its node, and no other. */
  #agrees(): boolean {
    const { seen, silent } = this.#last;
    if (silent.size > 0) return false;
    const alive = new Map(
      seen.flatMap(({ node, process }) => (process.state === 'alive' ? [[process.spec.id, node]] : [])),
    );
    let placed = 0;
    for (const { id, node } of this.#parts.records.all) {
      if (node === null) continue;
      placed += 1;
      if (alive.get(id) !== node) return false;
    }
    return placed === seen.length;
  }
}
