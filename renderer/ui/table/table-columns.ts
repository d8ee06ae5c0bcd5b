import type { Column } from './table.ts';

/** A person's changes to a table's columns. Everything else stays at the table's defaults. */
export interface ColumnLayout {
  /** Ids of columns in the desired order. Columns that are not listed follow in the table's own order. */
  readonly order: readonly string[];
  /** The person's choice to show (true) or hide (false) a column, by the column's id. */
  readonly shown: Readonly<Record<string, boolean>>;
  /** Widths (px) that the person set, by the column's id. */
  readonly widths: Readonly<Record<string, number>>;
}

export const NO_LAYOUT: ColumnLayout = { order: [], shown: {}, widths: {} };

const MIN_WIDTH = 56;
const MAX_WIDTH = 800;
/** Minimum width of the column that takes the remaining space (px). */
const MIN_REST = 160;
/** Width of the checkboxes before the first column (px). */
export const CHOOSE_WIDTH = 48;

/** Returns all columns in the desired order, the fixed ones first. */
export function orderColumns<C extends Pick<Column<never>, 'id' | 'fixed'>>(
  columns: readonly C[],
  { order }: ColumnLayout,
): readonly C[] {
  const place = (column: C, index: number): number => {
    if (column.fixed === true) return index - columns.length;
    const at = order.indexOf(column.id);
    return at === -1 ? order.length + index : at;
  };
  const places = new Map(columns.map((column, index) => [column, place(column, index)]));
  return [...columns].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/**
 * Returns whether a column is visible in a table of this width (px). Width 0 means that the width is not known yet.
 */
export function isColumnShown(
  column: Pick<Column<never>, 'id' | 'fixed' | 'optional' | 'fromWidth'>,
  { shown }: ColumnLayout,
  width: number,
): boolean {
  if (column.fixed === true) return true;
  const chosen = shown[column.id];
  if (chosen !== undefined) return chosen;
  if (column.optional === true) return false;
  return column.fromWidth === undefined || width === 0 || width >= column.fromWidth;
}

/** Returns the columns as CSS `grid-template-columns`, and their total minimum width (px). */
export function toColumnTemplate(
  columns: readonly Pick<Column<never>, 'id' | 'width'>[],
  { widths }: ColumnLayout,
): { readonly template: string; readonly minWidth: number } {
  const sizes = columns.map(({ id, width }) => ({
    px: widths[id] ?? (width === 'auto' ? null : parseInt(width, 10)),
  }));
  // One column must take the remaining space, so that the last cells do not end in the middle of the table: the
  // column made for this purpose, or else the first column, which names the row. Columns of numbers stay together at
  // the end.
  const rest = Math.max(
    0,
    columns.findLastIndex(({ width }) => width === 'auto'),
  );
  const template = sizes.map(({ px }, index) =>
    index === rest ? `minmax(${px ?? MIN_REST}px, 1fr)` : `${px ?? MIN_REST}px`,
  );
  return {
    template: [`${CHOOSE_WIDTH}px`, ...template].join(' '),
    minWidth: CHOOSE_WIDTH + sizes.reduce((sum, { px }) => sum + (px ?? MIN_REST), 0),
  };
}

/**
 * Returns the layout after a column has moved by one position among the movable ones. Returns the same layout if the
 * move is not possible.
 */
export function moveColumn(
  columns: readonly Pick<Column<never>, 'id' | 'fixed'>[],
  layout: ColumnLayout,
  { id, step }: { readonly id: string; readonly step: -1 | 1 },
): ColumnLayout {
  const ids = orderColumns(columns, layout)
    .filter(({ fixed }) => fixed !== true)
    .map((column) => column.id);
  const from = ids.indexOf(id);
  const to = from + step;
  if (from === -1 || to < 0 || to >= ids.length) return layout;
  ids.splice(from, 1);
  ids.splice(to, 0, id);
  return { ...layout, order: ids };
}

/**
 * Returns the layout after a column has moved to the position of another one. Returns the same layout if one of the
 * two is not movable.
 */
export function placeColumn(
  columns: readonly Pick<Column<never>, 'id' | 'fixed'>[],
  layout: ColumnLayout,
  { id, at }: { readonly id: string; readonly at: string },
): ColumnLayout {
  const movable = orderColumns(columns, layout).filter(({ fixed }) => fixed !== true);
  const before = movable.map((column) => column.id);
  const to = before.indexOf(at);
  if (to === -1 || !before.includes(id)) return layout;
  const order = before.filter((other) => other !== id);
  order.splice(to, 0, id);
  return { ...layout, order };
}

/**
 * Returns the layout with the person's choice to show or hide a column. The choice applies at every width of the
 * table.
 */
export function showColumn(layout: ColumnLayout, id: string, shown: boolean): ColumnLayout {
  return { ...layout, shown: { ...layout.shown, [id]: shown } };
}

/** Returns the layout with another width of a column (whole px, limited to 56–800). */
export function sizeColumn(layout: ColumnLayout, id: string, width: number): ColumnLayout {
  const px = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
  return { ...layout, widths: { ...layout.widths, [id]: px } };
}
