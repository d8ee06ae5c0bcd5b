/** An item that takes part of a whole. */
export interface MapItem {
  readonly id: string;
  readonly size: number;
}

/** A block of a map: its share of the row's width, and the row's share of the whole height, both from 0 to 1. */
export interface MapBlock {
  readonly id: string;
  readonly width: number;
}

export interface MapRow {
  readonly height: number;
  readonly blocks: readonly MapBlock[];
}

/** Maximum number of rows. More would be too low for a name. */
const MOST_ROWS = 7;

/**
 * Arranges items in rows so that each block's area is its share of the whole: a strip treemap. Keeps the order, so
 * that a block stays in its place.
 *
 * @param items with sizes > 0
 */
export function toMapRows(items: readonly MapItem[]): readonly MapRow[] {
  const total = items.reduce((sum, { size }) => sum + size, 0);
  if (total <= 0) return [];
  // Blocks three times as wide as high, like the map itself, have room for names.
  const usual = median(items.map(({ size }) => size));
  const rows = Math.max(1, Math.min(MOST_ROWS, Math.round(Math.sqrt(total / usual))));
  const packed: MapItem[][] = [];
  let [row, filled, done] = [[] as MapItem[], 0, 0];
  for (const item of items) {
    row.push(item);
    filled += item.size;
    // Compares with the whole so far: if one row is too long, the next one is shorter.
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
