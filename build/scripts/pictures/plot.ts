import { element, INK, line, text, type Point } from './svg.ts';

export const HOUR_MS = 3_600_000;

/** Hour of the day at which the simulated day begins. */
const OPENING_HOUR = 4;

/** Maps values to pixels. */
export type Scale = (value: number) => number;

/** Returns the linear scale that maps a domain of values to a range of pixels. Both are given as start and end. */
export function linear(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const factor = (range[1] - range[0]) / (domain[1] - domain[0]);
  return (value) => range[0] + (value - domain[0]) * factor;
}

/** A drawing area (px). */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Draws horizontal lines at these values, with their labels. */
export function valueAxis(
  frame: Frame,
  scale: Scale,
  { ticks, label }: { readonly ticks: readonly number[]; readonly label: (value: number) => string },
): string[] {
  return ticks.flatMap((value) => {
    const y = scale(value);
    return [
      line({ x: frame.left, y }, { x: frame.right, y }, { stroke: INK.grid }),
      text({ x: frame.left - 8, y: y + 4 }, label(value), { 'text-anchor': 'end', fill: INK.muted }),
    ];
  });
}

/** Draws clock times below a frame, every three hours. */
export function clockAxis(frame: Frame, scale: Scale, untilMs: number): string[] {
  const hours = Array.from({ length: Math.floor(untilMs / HOUR_MS / 3) + 1 }, (_, i) => i * 3);
  return hours.flatMap((hour) => {
    const x = scale(hour * HOUR_MS);
    const clock = `${String((OPENING_HOUR + hour) % 24).padStart(2, '0')}:00`;
    return [
      line({ x, y: frame.bottom }, { x, y: frame.bottom + 5 }, { stroke: INK.muted }),
      text({ x, y: frame.bottom + 19 }, clock, { 'text-anchor': 'middle', fill: INK.muted }),
    ];
  });
}

/** One entry of a legend: a coloured square and its text. */
export interface Key {
  readonly words: string;
  readonly swatch: Readonly<Record<string, string | number>>;
}

/** Draws coloured squares with their texts in a row. @param widths width of each entry (px) */
export function legend(at: Point, keys: readonly Key[], widths: readonly number[]): string[] {
  let x = at.x;
  return keys.flatMap(({ words, swatch }, i) => {
    const parts = [
      element('rect', { x, y: at.y - 9, width: 12, height: 10, rx: 2, ...swatch }),
      text({ x: x + 18, y: at.y }, words),
    ];
    x += widths[i] ?? 0;
    return parts;
  });
}

/** Draws a line of muted text, such as the unit of an axis. */
export function note(at: Point, words: string): string {
  return text(at, words, { fill: INK.muted });
}

/** Returns a few round, evenly spaced numbers that start at 0 and do not exceed `value`. */
export function ticksUpTo(value: number): number[] {
  const rough = Math.max(1, value / 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  return Array.from({ length: Math.floor(value / step) + 1 }, (_, i) => i * step);
}
