/** A label at a line's end: where it should stand, px from the top. */
export interface WantedLabel {
  readonly id: string;
  readonly y: number;
  /** Its line lies above the picture. */
  readonly above: boolean;
}

/** Height of a line of text of 12 px. */
const LINE_PX = 15;

/**
 * Moves labels apart that would stand on each other, as little as that takes and within the picture; their order stays.
 *
 * @param height of the picture, px
 * @returns where each label's middle stands, px from the top, in the order given
 */
export function placeLabels(wanted: readonly WantedLabel[], height: number): readonly WantedLabel[] {
  const sorted = [...wanted].sort((a, b) => a.y - b.y);
  const ys = sorted.map(({ y }) => y);
  // Down from the top, then back up from the bottom: what was pushed out below pushes the others up.
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
