/** So many services of one size, MB. */
export interface Kind {
  readonly sizeMb: number;
  readonly count: number;
}

/** The nodes to pack into: all alike. */
interface Bins {
  readonly nodeMb: number;
  /** Part of the whole fleet's RAM that may be taken at most, 0–1. */
  readonly fill: number;
}

/**
 * A lower bound for the number of nodes that hold services: no packing does with fewer.
 *
 * The larger of the volume bound ⌈Σ size / node⌉ and Martello and Toth's L2 (S. Martello, P. Toth: "Lower bounds and
 * reduction procedures for the bin packing problem", Discrete Applied Mathematics 28, 1990): for a limit k, what is
 * larger than node − k shares a node with nothing of size k or more; of what is larger than half a node, no two share
 * one; the rest down to k fills what those leave, then further nodes. Every k gives a bound; sizes are the only k
 * that matter.
 *
 * Example: nodes of 7,168 MB, five services of 4,471 MB: volume says 4 nodes, but no two fit on one: 5.
 */
export function fewestNodes(kinds: readonly Kind[], { nodeMb, fill }: Bins): number {
  const present = kinds.filter(({ count }) => count > 0);
  const totalMb = present.reduce((sum, { sizeMb, count }) => sum + sizeMb * count, 0);
  const byVolume = Math.ceil(totalMb / (nodeMb * fill));
  const limits = present.map(({ sizeMb }) => sizeMb).filter((sizeMb) => sizeMb <= nodeMb / 2);
  return Math.max(byVolume, ...[0, ...limits].map((limit) => bySize(present, { nodeMb, limit })));
}

function bySize(
  kinds: readonly Kind[],
  { nodeMb, limit }: { readonly nodeMb: number; readonly limit: number },
): number {
  let [alone, large, largeMb, smallMb] = [0, 0, 0, 0];
  for (const { sizeMb, count } of kinds) {
    if (sizeMb > nodeMb - limit) alone += count;
    else if (sizeMb > nodeMb / 2) {
      large += count;
      largeMb += sizeMb * count;
    } else if (sizeMb >= limit) smallMb += sizeMb * count;
  }
  const leftMb = large * nodeMb - largeMb;
  return alone + large + Math.max(0, Math.ceil((smallMb - leftMb) / nodeMb));
}
