/** A number of services of the same size. */
export interface Kind {
  readonly sizeMb: number;
  readonly count: number;
}

/** The nodes that are filled with services. All of them have one size. */
interface Bins {
  readonly nodeMb: number;
  /** Maximum share of the nodes' total RAM that may be allocated, 0–1. */
  readonly fill: number;
}

/**
 * Returns a lower bound for the number of nodes that services need: no way to place them needs fewer.
 *
 * It is the larger one of the volume bound ⌈Σ size / node⌉ and Martello and Toth's L2 (S. Martello, P. Toth: "Lower
 * bounds and reduction procedures for the bin packing problem", Discrete Applied Mathematics 28, 1990). For a limit
 * k, a service larger than node − k shares its node with no service of size k or more. Of the services larger than
 * half a node, no two share a node. All others of at least size k fill the remaining space, then further nodes.
 * Every k gives a bound; only the sizes of services matter as k.
 *
 * Example: for five services of 4,471 MB on nodes of 7,168 MB the volume bound is 4, but no two fit on one node, so
 * the result is 5.
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
