import type { NodeId } from '#master/core/snapshot/snapshot.ts';

/** Orders and releases that are under way: those of one node one after the other, those of different ones side by side. */
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

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
