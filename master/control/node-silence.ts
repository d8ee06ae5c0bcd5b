import type { NodeId } from '#master/core/snapshot.ts';
import type { NodeInfo, Provider } from '#master/nodes/provider.ts';

/** When a node that nobody can look at is given up. All ms. */
export interface SilenceLimits {
  /** So long it may be silent: a reboot takes half a minute. */
  readonly graceMs: number;
  /**
   * At most one node is given up in this time, so that a fault of the master's own network does not replace a whole
   * fleet of sound nodes before anybody sees it.
   */
  readonly pauseMs: number;
}

export const SILENCE: SilenceLimits = { graceMs: 60_000, pauseMs: 60_000 };

export interface SilenceOptions {
  readonly limits?: SilenceLimits;
  /** True while a service on this node answers pings: then the node lives, whatever else is wrong with it. */
  readonly answers: (node: NodeId) => boolean;
  /** ms, on the clock of {@link NodeInfo.silentSince}. */
  readonly clock?: () => number;
}

/**
 * Calls nodes LOST that have been silent for too long (design 6): their services are started elsewhere and they are
 * given back, so it is decided slowly. One that can be looked at again is READY again, unless it is gone by then.
 */
export function withLostNodes(provider: Provider, options: SilenceOptions): Provider {
  const { limits = SILENCE, answers, clock = () => performance.now() } = options;
  const lost = new Set<NodeId>();
  let lastAt = -Infinity;

  const judge = (): void => {
    const silent = new Map(provider.nodes().flatMap((node) => silence(node)));
    for (const id of lost) if (!silent.has(id)) lost.delete(id);
    // While the provider cannot be asked either, it is the master that has lost its network.
    if (provider.trouble() !== null) return;
    const now = clock();
    for (const [id, since] of [...silent].sort(([, a], [, b]) => a - b)) {
      if (lost.has(id) || now - since < limits.graceMs || now - lastAt < limits.pauseMs || answers(id))
        continue;
      lost.add(id);
      lastAt = now;
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

/** Nodes in other states are not expected to answer. */
function silence({ id, state, silentSince }: NodeInfo): [NodeId, number][] {
  return state === 'READY' && silentSince !== null ? [[id, silentSince]] : [];
}
