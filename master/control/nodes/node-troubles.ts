import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Provider } from '#master/nodes/provider.ts';

/** What is wrong with nodes that can be reached, as the last look at their services found it. */
export class NodeTroubles {
  readonly #of = new Map<NodeId, string>();

  /** @param trouble one sentence; null: all is well */
  set(node: NodeId, trouble: string | null): void {
    if (trouble === null) this.#of.delete(node);
    else this.#of.set(node, trouble);
  }

  /** The same nodes, which now also say what the looks found, unless there is something else to say. */
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
