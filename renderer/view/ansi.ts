import { matchEscapes } from '#shared/text/ansi.ts';

/** Colours of SGR 30–37 and 90–97, in their order; tokens.css has a `--ansi-…` for each. */
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type AnsiColour = (typeof COLOURS)[number];

export interface AnsiStyle {
  readonly colour: AnsiColour | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

/** A stretch of text in one style. */
export interface AnsiSpan extends AnsiStyle {
  readonly text: string;
}

const PLAIN: AnsiStyle = { colour: null, bold: false, dim: false, italic: false, underline: false };

/**
 * Cuts a console line into styled spans. Understands SGR (ECMA-48 8.3.117) colours, also those of 256 and true
 * colour brought to the nearest of eight; everything else that moves a cursor or sets a title is left out.
 * Each line begins plain, as servers end theirs with a reset.
 */
export function parseAnsi(line: string): readonly AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  let from = 0;
  for (const match of matchEscapes(line)) {
    if (match.index > from) spans.push({ ...style, text: line.slice(from, match.index) });
    from = match.index + match[0].length;
    if (match[2] === 'm') style = applySgr(style, match[1] ?? '');
  }
  if (from < line.length) spans.push({ ...style, text: line.slice(from) });
  return spans;
}

function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map((part) => (part === '' ? 0 : Number(part)));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes.slice(at + 1));
      if (code === 38) style = { ...style, colour };
      at += length;
    } else {
      style = applyCode(style, code);
    }
  }
  return style;
}

/** What the single codes change; 0 is a reset. */
const CHANGES: Readonly<Record<number, Partial<AnsiStyle>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  39: { colour: null },
};

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code >= 30 && code <= 37) return { ...style, colour: COLOURS[code - 30] ?? null };
  if (code >= 90 && code <= 97) return { ...style, colour: COLOURS[code - 90] ?? null };
  return { ...style, ...CHANGES[code] };
}

/** `5;n` or `2;r;g;b` after 38 or 48. @returns the colour and how many parameters it took */
function extendedColour(rest: readonly number[]): { colour: AnsiColour | null; length: number } {
  if (rest[0] === 2) {
    const [, r = 0, g = 0, b = 0] = rest;
    return { colour: nearest(r, g, b), length: 4 };
  }
  if (rest[0] !== 5) return { colour: null, length: rest.length };
  const n = rest[1] ?? 0;
  if (n < 16) return { colour: COLOURS[n % 8] ?? null, length: 2 };
  if (n >= 232) return { colour: n < 244 ? 'black' : 'white', length: 2 };
  // The 6×6×6 cube of xterm's 256 colours.
  const cube = n - 16;
  const level = (step: number): number => step * 51;
  return {
    colour: nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)),
    length: 2,
  };
}

/** Each of red, green, blue on or off, seen from the strongest: the eight colours are just that. */
function nearest(r: number, g: number, b: number): AnsiColour | null {
  const half = Math.max(r, g, b, 1) / 2;
  const index = (r > half ? 1 : 0) + (g > half ? 2 : 0) + (b > half ? 4 : 0);
  return index === 7 && Math.max(r, g, b) < 128 ? 'black' : (COLOURS[index] ?? null);
}
