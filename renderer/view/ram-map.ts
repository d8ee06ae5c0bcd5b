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

/** More rows than this would be too low for a name. */
const MOST_ROWS = 7;

/**
 * Puts items into rows so that each block's area is its share of all: a strip map. Their order stays, so that a block is
 * found again where it was.
 *
 * @param items with sizes > 0
 */
export function toMapRows(items: readonly MapItem[]): readonly MapRow[] {
  const total = items.reduce((sum, { size }) => sum + size, 0);
  if (total <= 0) return [];
  // Three times as wide as high, as the map itself is: then names fit.
  const usual = median(items.map(({ size }) => size));
  const rows = Math.max(1, Math.min(MOST_ROWS, Math.round(Math.sqrt(total / usual))));
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

function median(sizes: readonly number[]): number {
  return [...sizes].sort((a, b) => a - b)[Math.floor((sizes.length - 1) / 2)] ?? 1;
}
