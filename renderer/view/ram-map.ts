/** An item of a map. Its block has an area in proportion to `size`. */
export interface MapItem {
  readonly id: string;
  readonly size: number;
}

/** A block in a row of a map. `width`: share of the row's width, from 0 to 1. */
export interface MapBlock {
  readonly id: string;
  readonly width: number;
}

export interface MapRow {
  readonly height: number;
  readonly blocks: readonly MapBlock[];
}

/** Maximum number of rows. With more rows, a row would be too low for a name. */
const MOST_ROWS = 7;

/**
 * Arranges items in rows (a strip treemap), so that the area of each block is in proportion to its item's size. Keeps
 * the order of the items, so that blocks stay in place when sizes change.
 *
 * @param items items with sizes > 0
 */
export function toMapRows(items: readonly MapItem[]): readonly MapRow[] {
  const total = items.reduce((sum, { size }) => sum + size, 0);
  if (total <= 0) return [];
  // A block of median size has the proportions of the map, which is three times as wide as high. So the block has
  // room for a name.
  const usual = median(items.map(({ size }) => size));
  const rows = Math.max(1, Math.min(MOST_ROWS, Math.round(Math.sqrt(total / usual))));
  const packed: MapItem[][] = [];
  let [row, filled, done] = [[] as MapItem[], 0, 0];
  for (const item of items) {
    row.push(item);
    filled += item.size;
    // Compares the sum of all rows so far, not of this row. If a row is too long, the next row is thus shorter.
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
