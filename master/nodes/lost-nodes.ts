import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { SILENCE_GRACE_MS, type NodeInfo } from './node.ts';

/** Time limits that decide when an unreachable node is declared lost (ms). */
export interface SilenceLimits {
  readonly graceMs: number;
  /**
   * Minimum time between two declarations of lost nodes (ms). It doubles with each node declared lost within the last
   * hour. The pause gives people time to notice a network fault of the master, or a template that crashes its nodes,
   * before all nodes are replaced. At least an hour is paid for each replacement.
   */
  readonly pauseMs: number;
}

const HOUR_MS = 3_600_000;

const SILENCE: SilenceLimits = { graceMs: SILENCE_GRACE_MS, pauseMs: 60_000 };

export interface LostNodesOptions {
  readonly limits?: SilenceLimits | undefined;
  /**
   * Reports whether a service on the node answers pings. A node with such a service runs and is not declared lost.
   */
  readonly answers: (node: NodeId) => boolean;
  /** Returns the time (ms) on the clock of {@link NodeInfo.silentSince}. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Declares a node lost if it has been unreachable for some time (60 s by default) and no service on it answers pings
 * (docs/adr/0015). Lost nodes are released and their services start elsewhere, so the decision is made slowly. A lost
 * node that can be reached again before its deletion is no longer lost. But it stays lost during its set-up, because
 * a node that hangs begins its set-up again and again.
 */
export class LostNodes {
  readonly #limits: SilenceLimits;
  readonly #answers: (node: NodeId) => boolean;
  readonly #clock: () => number;
  readonly #lost = new Set<NodeId>();
  /** Times at which nodes were declared lost within the last hour (ms), oldest first. */
  #lostAt: readonly number[] = [];

  constructor({ limits = SILENCE, answers, clock = monotonicMs }: LostNodesOptions) {
    this.#limits = limits;
    this.#answers = answers;
    this.#clock = clock;
  }

  /** Reports whether a node is declared lost. */
  has(node: NodeId): boolean {
    return this.#lost.has(node);
  }

  /**
   * Decides which nodes are lost. A node is lost if it has been unreachable for `limits.graceMs` (60 s by default)
   * and no service on it answers pings. Waits at least `limits.pauseMs` between two declarations. Called after each
   * refresh.
   *
   * @param isBlind whether the silence of a node proves nothing, for example because the provider does not answer
   *   either. In that case, no further node is declared lost
   */
  judge(nodes: readonly NodeInfo[], isBlind: boolean): void {
    const silent = new Map(nodes.flatMap((node) => silence(node)));
    const settingUp = new Set(nodes.filter(isSettingUp).map(({ id }) => id));
    for (const id of this.#lost) if (!silent.has(id) && !settingUp.has(id)) this.#lost.delete(id);
    if (isBlind) return;
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

function isSettingUp({ state, unprepared, isSettingUp: isBusy = false }: NodeInfo): boolean {
  return state === 'READY' && unprepared && isBusy;
}

/**
 * Returns a list with one pair: the node's id, and the time since which the node is unreachable. The list is empty
 * if the node can be reached, or is not READY and therefore not expected to answer. An unprepared node counts as
 * reachable, because it has answered.
 */
function silence({ id, state, silentSince, unprepared }: NodeInfo): [NodeId, number][] {
  return state === 'READY' && silentSince !== null && !unprepared ? [[id, silentSince]] : [];
}
