/** Number of services of the same size. */
export interface Kind {
  readonly sizeMb: number;
  readonly count: number;
}

/** The nodes that are filled with services. All nodes have the same size. */
interface Bins {
  readonly nodeMb: number;
  /** Maximum share of the nodes' total RAM that may be allocated, 0–1. */
  readonly fill: number;
}

/**
 * Returns a lower bound for the number of nodes that the services need. No placement of the services needs fewer
 * nodes.
 *
 * The result is the larger of two bounds: the volume bound ⌈Σ size / node⌉, and the bound L2 of Martello and Toth (S.
 * Martello, P. Toth: "Lower bounds and reduction procedures for the bin packing problem", Discrete Applied
 * Mathematics 28, 1990).
 *
 * L2 is the maximum of the bounds for all limits k. Only the sizes of services need to be tried as k. For a limit k:
 *
 * - A service that is larger than node − k cannot share its node with a service of size k or more.
 * - Two services that are larger than half a node cannot share a node.
 * - All other services of size k or more first fill the remaining space of these nodes, and then further nodes.
 *
 * Example: for five services of 4,471 MB on nodes of 7,168 MB, the volume bound is 4. But two of these services do
 * not fit on one node, so the result is 5.
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
