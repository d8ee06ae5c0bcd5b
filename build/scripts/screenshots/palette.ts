import type { IndexedPicture, Picture } from './png-file.ts';

/** A colour as one number, and its number of pixels. */
interface Counted {
  readonly color: number;
  readonly count: number;
}

const MOST_COLORS = 256;
const SHIFTS = [16, 8, 0] as const;

/**
 * Reduces a picture to 256 colours by median cut (Heckbert, 1982) without dithering, so that areas of one colour
 * stay uniform and the file shrinks to a third. A picture with at most 256 colours keeps them.
 */
export function quantize({ width, height, rgb }: Picture): IndexedPicture {
  const pixels = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 1) {
    const color = ((rgb[at * 3] ?? 0) << 16) | ((rgb[at * 3 + 1] ?? 0) << 8) | (rgb[at * 3 + 2] ?? 0);
    pixels[at] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const boxes = cut([...counts].map(([color, count]) => ({ color, count })));
  const palette = new Uint8Array(boxes.length * 3);
  const indexOf = new Map<number, number>();
  boxes.forEach((box, index) => {
    palette.set(
      SHIFTS.map((shift) => mean(box, shift)),
      index * 3,
    );
    for (const { color } of box) indexOf.set(color, index);
  });
  return { width, height, palette, indexes: Uint8Array.from(pixels, (color) => indexOf.get(color) ?? 0) };
}

/** Repeatedly splits the box of colours with the largest error, until there are enough boxes or no box has an error. */
function cut(colors: readonly Counted[]): readonly (readonly Counted[])[] {
  const boxes = [measure(colors)];
  while (boxes.length < MOST_COLORS) {
    const worst = boxes.reduce((a, b) => (b.error > a.error ? b : a));
    if (worst.error === 0) break;
    const [low, high] = halve(worst);
    boxes.splice(boxes.indexOf(worst), 1, measure(low), measure(high));
  }
  return boxes.map(({ box }) => box);
}

interface Measured {
  readonly box: readonly Counted[];
  /** Channel in which the colours of the box differ most, as the number of bits to shift a colour. */
  readonly shift: number;
  /** Sum of the squared deviations of the box's pixels from their mean, in the channel that `shift` selects. */
  readonly error: number;
}

function measure(box: readonly Counted[]): Measured {
  const errors = SHIFTS.map((shift) => {
    const middle = exactMean(box, shift);
    const error = box.reduce(
      (sum, { color, count }) => sum + count * (channel(color, shift) - middle) ** 2,
      0,
    );
    return { box, shift, error: box.length === 1 ? 0 : error };
  });
  return errors.reduce((a, b) => (b.error > a.error ? b : a));
}

/** Splits a box at the mean of one channel. Both halves are non-empty, because the colours of the box differ. */
function halve({ box, shift }: Measured): readonly [readonly Counted[], readonly Counted[]] {
  const middle = exactMean(box, shift);
  return [
    box.filter(({ color }) => channel(color, shift) <= middle),
    box.filter(({ color }) => channel(color, shift) > middle),
  ];
}

function exactMean(box: readonly Counted[], shift: number): number {
  const total = box.reduce((sum, { count }) => sum + count, 0);
  return box.reduce((sum, { color, count }) => sum + count * channel(color, shift), 0) / total;
}

function mean(box: readonly Counted[], shift: number): number {
  return Math.round(exactMean(box, shift));
}

function channel(color: number, shift: number): number {
  return (color >> shift) & 0xff;
}
