import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeInfo, Provider } from '#master/nodes/provider.ts';

/** When an unreachable node is declared LOST (ms). */
export interface SilenceLimits {
  /** Minimum time for which a node must be unreachable (ms). A reboot takes about 30 s. */
  readonly graceMs: number;
  /**
   * Minimum time between two lost nodes (ms); it doubles with each node lost within the last hour. A network fault
   * of the master, or a template that takes its nodes down, must not replace a whole fleet before a person notices:
   * each replacement costs an hour.
   */
  readonly pauseMs: number;
}

const HOUR_MS = 3_600_000;

export const SILENCE: SilenceLimits = { graceMs: 60_000, pauseMs: 60_000 };

export interface SilenceOptions {
  readonly limits?: SilenceLimits;
  /** Reports whether a service on the node answers pings. The node is alive then, whatever else is wrong. */
  readonly answers: (node: NodeId) => boolean;
  /** Returns the time (ms) on the clock of {@link NodeInfo.silentSince}. */
  readonly clock?: () => number;
}

/**
 * Marks nodes as LOST that have been unreachable for too long (docs/adr/0015). Lost nodes are released and their
 * services start elsewhere, so the decision is slow. A lost node that can be reached again becomes READY, unless it
 * is deleted by then.
 */
export function withLostNodes(provider: Provider, options: SilenceOptions): Provider {
  const { limits = SILENCE, answers, clock = monotonicMs } = options;
  const lost = new Set<NodeId>();
  /** When nodes were declared lost, within the last hour. */
  let givenUpAt: readonly number[] = [];

  const mayGiveUp = (now: number): boolean => {
    const last = givenUpAt.at(-1);
    return last === undefined || now - last >= limits.pauseMs * 2 ** (givenUpAt.length - 1);
  };
  const judge = (): void => {
    const silent = new Map(provider.nodes().flatMap((node) => silence(node)));
    for (const id of lost) if (!silent.has(id)) lost.delete(id);
    // If the provider cannot be reached either, the fault is probably in the master's own network.
    if (provider.trouble() !== null) return;
    const now = clock();
    givenUpAt = givenUpAt.filter((at) => now - at < HOUR_MS);
    for (const [id, since] of [...silent].sort(([, a], [, b]) => a - b)) {
      if (lost.has(id) || now - since < limits.graceMs || !mayGiveUp(now) || answers(id)) continue;
      lost.add(id);
      givenUpAt = [...givenUpAt, now];
    }
  };

  return {
    nodes: () => provider.nodes().map((node) => (lost.has(node.id) ? { ...node, state: 'LOST' } : node)),
    refresh: async () => {
      await provider.refresh();
      judge();
    },
    listed: () => provider.listed(),
    trouble: () => provider.trouble(),
    market: () => provider.market(),
    get rents() {
      return provider.rents;
    },
  };
}

/** Only READY nodes are expected to answer. An unprepared node does answer, even if it cannot run services. */
function silence({ id, state, silentSince, unprepared }: NodeInfo): [NodeId, number][] {
  return state === 'READY' && silentSince !== null && !unprepared ? [[id, silentSince]] : [];
}
