import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Provider } from '#master/nodes/provider.ts';

/** Problems of reachable nodes, found by the last observation of their services. */
export class NodeTroubles {
  readonly #of = new Map<NodeId, string>();

  /** @param trouble one sentence; null if there is no problem */
  set(node: NodeId, trouble: string | null): void {
    if (trouble === null) this.#of.delete(node);
    else this.#of.set(node, trouble);
  }

  /** Wraps a provider so that its nodes show these problems as a note, unless they already have one. */
  shownBy(provider: Provider): Provider {
    return {
      nodes: () =>
        provider.nodes().map((node) => ({ ...node, note: node.note ?? this.#of.get(node.id) ?? null })),
      refresh: async () => {
        await provider.refresh();
        const ids = new Set(provider.nodes().map(({ id }) => id));
        for (const id of this.#of.keys()) if (!ids.has(id)) this.#of.delete(id);
      },
      listed: () => provider.listed(),
      trouble: () => provider.trouble(),
      market: () => provider.market(),
      get rents() {
        return provider.rents;
      },
    };
  }
}
