import type { NodeId } from '#master/core/snapshot.ts';
import type { Node } from '#shared/model/node.ts';

type Seen = Pick<Node, 'id' | 'state'>;

/** Since when each node is in its state, as far as this master saw it begin. */
export class NodeTimes {
  readonly #now: () => number;
  /** Null before the first look: what was there by then began at a time that nobody saw. */
  #seen: Map<NodeId, { readonly state: Node['state']; readonly since: number | null }> | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Looks at all nodes; to be called soon after anything changed. */
  see(nodes: readonly Seen[]): void {
    const before = this.#seen;
    const now = this.#now();
    this.#seen = new Map(
      nodes.map(({ id, state }) => {
        const known = before?.get(id);
        if (known?.state === state) return [id, known];
        return [id, { state, since: before === null ? null : now }];
      }),
    );
  }

  /** Time in ms since epoch; null when nobody saw it begin. A state of this very moment begins now. */
  since({ id, state }: Seen): number | null {
    const known = this.#seen?.get(id);
    return known?.state === state ? known.since : this.#now();
  }
}
