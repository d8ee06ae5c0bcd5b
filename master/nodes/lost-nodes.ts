import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { SILENCE_GRACE_MS, type NodeInfo } from './node.ts';

/** When an unreachable node is declared lost (ms). */
export interface SilenceLimits {
  readonly graceMs: number;
  /**
   * Minimum time between two lost nodes (ms); it doubles with each node lost within the last hour. A network fault
   * of the master, or a template that takes its nodes down, must not replace a whole fleet before a person notices:
   * each replacement costs an hour.
   */
  readonly pauseMs: number;
}

const HOUR_MS = 3_600_000;

const SILENCE: SilenceLimits = { graceMs: SILENCE_GRACE_MS, pauseMs: 60_000 };

export interface LostNodesOptions {
  readonly limits?: SilenceLimits | undefined;
  /** Reports whether a service on the node answers pings. The node is alive then, whatever else is wrong. */
  readonly answers: (node: NodeId) => boolean;
  /** Returns the time (ms) on the clock of {@link NodeInfo.silentSince}. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Declares nodes lost that have been unreachable for too long (docs/adr/0015). Lost nodes are released and their
 * services start elsewhere, so the decision is slow. A lost node that can be reached again is not lost any more,
 * unless it is deleted by then.
 */
export class LostNodes {
  readonly #limits: SilenceLimits;
  readonly #answers: (node: NodeId) => boolean;
  readonly #clock: () => number;
  readonly #lost = new Set<NodeId>();
  /** When nodes were declared lost, within the last hour. */
  #lostAt: readonly number[] = [];

  constructor({ limits = SILENCE, answers, clock = monotonicMs }: LostNodesOptions) {
    this.#limits = limits;
    this.#answers = answers;
    this.#clock = clock;
  }

  has(node: NodeId): boolean {
    return this.#lost.has(node);
  }

  /**
   * Judges all nodes; called after each refresh.
   *
   * @param isProviderSilent whether the provider cannot be reached either. The fault is probably in the master's own
   *   network then, and no further node is declared lost
   */
  judge(nodes: readonly NodeInfo[], isProviderSilent: boolean): void {
    const silent = new Map(nodes.flatMap((node) => silence(node)));
    for (const id of this.#lost) if (!silent.has(id)) this.#lost.delete(id);
    if (isProviderSilent) return;
    const now = this.#clock();
    this.#lostAt = this.#lostAt.filter((at) => now - at < HOUR_MS);
    for (const [id, since] of [...silent].sort(([, a], [, b]) => a - b)) {
      if (this.#lost.has(id) || now - since < this.#limits.graceMs || !this.#mayLose(now)) continue;
      if (this.#answers(id)) continue;
      this.#lost.add(id);
      this.#lostAt = [...this.#lostAt, now];
    }
  }

  #mayLose(now: number): boolean {
    const last = this.#lostAt.at(-1);
    const pauseMs = this.#limits.pauseMs * 2 ** (this.#lostAt.length - 1);
    return last === undefined || now - last >= pauseMs;
  }
}

/**
 * Returns the node and the start of its silence, or nothing if it is not silent. Only READY nodes are expected to
 * answer. An unprepared node has answered, so it exists.
 */
function silence({ id, state, silentSince, unprepared }: NodeInfo): [NodeId, number][] {
  return state === 'READY' && silentSince !== null && !unprepared ? [[id, silentSince]] : [];
}
