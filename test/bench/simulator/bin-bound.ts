/** A number of services of the same size. */
export interface Kind {
  readonly sizeMb: number;
  readonly count: number;
}

/** The nodes to pack into. All have the same size. */
interface Bins {
  readonly nodeMb: number;
  /** Maximum share of the fleet's RAM that may be allocated, 0–1. */
  readonly fill: number;
}

/**
 * Returns a lower bound for the number of nodes that services need: no packing needs fewer.
 *
 * It is the larger one of the volume bound ⌈Σ size / node⌉ and Martello and Toth's L2 (S. Martello, P. Toth: "Lower
 * bounds and reduction procedures for the bin packing problem", Discrete Applied Mathematics 28, 1990). For a limit
 * k, services larger than node − k share a node with no service of size k or more. Of those larger than half a
 * node, no two share one. The rest down to size k fills the remaining space, then further nodes. Every k gives a
 * bound; only the sizes of services matter as k.
 *
 * Example: nodes of 7,168 MB and five services of 4,471 MB need 4 nodes by volume, but no two fit on one node: 5.
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
