import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeInfo, Provider } from '#master/nodes/provider.ts';

/** When a node that nobody can look at is given up. All ms. */
export interface SilenceLimits {
  /** So long it may be silent: a reboot takes half a minute. */
  readonly graceMs: number;
  /**
   * At most one node is given up in this time, and each one of the last hour doubles it: a fault of the master's own
   * network, or a template that takes its nodes down, must not replace a fleet before anybody sees it. Each costs an hour.
   */
  readonly pauseMs: number;
}

const HOUR_MS = 3_600_000;

export const SILENCE: SilenceLimits = { graceMs: 60_000, pauseMs: 60_000 };

export interface SilenceOptions {
  readonly limits?: SilenceLimits;
  /** True while a service on this node answers pings: then the node lives, whatever else is wrong with it. */
  readonly answers: (node: NodeId) => boolean;
  /** ms, on the clock of {@link NodeInfo.silentSince}. */
  readonly clock?: () => number;
}

/**
 * Calls nodes LOST that have been silent for too long (docs/adr/0015): their services are started elsewhere and they are
 * given back, so it is decided slowly. One that can be looked at again is READY again, unless it is gone by then.
 */
export function withLostNodes(provider: Provider, options: SilenceOptions): Provider {
  const { limits = SILENCE, answers, clock = monotonicMs } = options;
  const lost = new Set<NodeId>();
  /** When nodes were given up, within the last hour. */
  let givenUpAt: readonly number[] = [];

  const mayGiveUp = (now: number): boolean => {
    const last = givenUpAt.at(-1);
    return last === undefined || now - last >= limits.pauseMs * 2 ** (givenUpAt.length - 1);
  };
  const judge = (): void => {
    const silent = new Map(provider.nodes().flatMap((node) => silence(node)));
    for (const id of lost) if (!silent.has(id)) lost.delete(id);
    // While the provider cannot be asked either, it is the master that has lost its network.
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

/** Nodes in other states are not expected to answer; one that answers is there, whatever it cannot do. */
function silence({ id, state, silentSince, unprepared }: NodeInfo): [NodeId, number][] {
  return state === 'READY' && silentSince !== null && !unprepared ? [[id, silentSince]] : [];
}
