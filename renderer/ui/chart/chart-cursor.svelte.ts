/** Moment that all charts of a group show: an index into their times. Null for the newest moment. */
export class ChartCursor {
  index = $state<number | null>(null);

  readonly show = (index: number | null): void => {
    this.index = index;
  };
}

/**
 * Returns the index to which a key moves the cursor. Null: the key hides the cursor. Undefined: the chart does not
 * handle the key.
 *
 * @param index current position of the cursor; null if there is no cursor, which counts as the newest moment
 * @param count number of moments
 */
export function readChartKey(key: string, index: number | null, count: number): number | null | undefined {
  const last = count - 1;
  const from = index ?? last;
  const to: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    PageUp: from - 10,
    PageDown: from + 10,
    Home: 0,
    End: last,
  };
  if (key === 'Escape') return index === null ? undefined : null;
  const wanted = to[key];
  return wanted === undefined || count === 0 ? undefined : Math.min(last, Math.max(0, wanted));
}
