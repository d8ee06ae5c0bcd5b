/** Something that takes part of a whole. */
export interface MapItem {
  readonly id: string;
  readonly size: number;
}

/** A block of a map: a share of its row, which has a share of the whole height. Both 0–1. */
export interface MapBlock {
  readonly id: string;
  readonly width: number;
}

export interface MapRow {
  readonly height: number;
  readonly blocks: readonly MapBlock[];
}

/** Width of a map to its height, and how much wider than high a block should be: a name has to fit. */
const SHAPE = 4 / 2;

/**
 * Puts items into rows so that each block's area is its share of all: a strip map. Their order stays, so that a block is
 * found again where it was.
 *
 * @param items with sizes > 0
 */
export function toMapRows(items: readonly MapItem[]): readonly MapRow[] {
  const total = items.reduce((sum, { size }) => sum + size, 0);
  if (total <= 0) return [];
  const rows = Math.max(1, Math.min(8, Math.round(Math.sqrt(items.length / SHAPE))));
  const packed: MapItem[][] = [];
  let [row, filled, done] = [[] as MapItem[], 0, 0];
  for (const item of items) {
    row.push(item);
    filled += item.size;
    // Compared with the whole so far: what one row has too much, the next has too little.
    if (done + filled >= (total / rows) * (packed.length + 1) - total * 1e-9) {
      packed.push(row);
      [row, done, filled] = [[], done + filled, 0];
    }
  }
  if (row.length > 0) packed.push(row);
  return packed.map((blocks) => {
    const sum = blocks.reduce((all, { size }) => all + size, 0);
    return { height: sum / total, blocks: blocks.map(({ id, size }) => ({ id, width: size / sum })) };
  });
}
