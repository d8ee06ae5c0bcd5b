import type { NodeId } from '#master/core/snapshot/snapshot.ts';

/** Orders and releases in progress. Those of one node run one after the other, those of different nodes in parallel. */
export class BusyNodes {
  readonly #last = new Map<NodeId, Promise<unknown>>();

  get all(): ReadonlySet<NodeId> {
    return new Set(this.#last.keys());
  }

  run<T>(node: NodeId, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(node) ?? Promise.resolve();
    const run = before.catch(() => undefined).then(work);
    const end = run
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(node) === end) this.#last.delete(node);
      });
    this.#last.set(node, end);
    return run;
  }

  /** Resolves when no order or release is in progress. */
  async settled(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
