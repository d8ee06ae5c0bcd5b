/** A label at the end of a line and its desired position (px from the top). */
export interface WantedLabel {
  readonly id: string;
  readonly y: number;
  /** Whether the label's line lies above the visible range. */
  readonly above: boolean;
}

/** Height of a line of 12 px text (px). */
const LINE_PX = 15;

/**
 * Moves overlapping labels apart. Their order from top to bottom stays the same. If all labels fit in the height of
 * the chart, all stay inside it. Otherwise, the upper ones are cut off at the top.
 *
 * @param height height of the chart (px)
 * @returns the labels with the middle of each as `y` (px from the top), in the order of `wanted`
 */
export function placeLabels(wanted: readonly WantedLabel[], height: number): readonly WantedLabel[] {
  const sorted = [...wanted].sort((a, b) => a.y - b.y);
  const ys = sorted.map(({ y }) => y);
  // Places labels from the top down, then from the bottom up. Labels beyond the bottom edge thus push the others up.
  let least = LINE_PX / 2;
  for (const [i, y] of ys.entries()) {
    ys[i] = Math.max(y, least);
    least = (ys[i] ?? 0) + LINE_PX;
  }
  let most = height - LINE_PX / 2;
  for (let i = ys.length - 1; i >= 0; i--) {
    ys[i] = Math.min(ys[i] ?? 0, most);
    most = (ys[i] ?? 0) - LINE_PX;
  }
  const placed = new Map(sorted.map(({ id }, i) => [id, ys[i] ?? 0]));
  return wanted.map((label) => ({ ...label, y: placed.get(label.id) ?? 0 }));
}
