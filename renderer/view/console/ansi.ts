import { renderLine } from '#shared/text/ansi.ts';
import { paletteColour, toHex, withContrast, type Rgb } from './ansi-palette.ts';

/**
 * Colours of the SGR codes 30–37 and 90–97, in this order. tokens.css defines a variable `--ansi-…` for each colour.
 */
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type AnsiColour = (typeof COLOURS)[number];

interface AnsiStyle {
  /** A number of the 256-colour palette, or red, green and blue. Null stands for the console's default colour. */
  readonly colour: number | Rgb | null;
  readonly background: number | Rgb | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly inverse: boolean;
}

/** A run of text with one style. Its colour is readable on its background. */
export interface AnsiSpan {
  readonly text: string;
  /**
   * One of the eight colours of the theme. Null if `paint` contains the colour, or if the text has the default
   * colour.
   */
  readonly colour: AnsiColour | null;
  /** Colours outside the theme, as `#rrggbb`. Null: the colour of the theme applies. */
  readonly paint: { readonly colour: string | null; readonly background: string | null };
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
}

const PLAIN: AnsiStyle = {
  colour: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

/**
 * The lighter of the two themes' console backgrounds. Text that is readable on this background is also readable on
 * the other one.
 */
const CONSOLE_GROUND: Rgb = [0x13, 0x17, 0x14];
const CONSOLE_TEXT: Rgb = [0xdf, 0xe5, 0xe0];

/**
 * Splits a console line into styled spans. Supports SGR (ECMA-48 8.3.117) with the 256-colour palette, true colours
 * and backgrounds. Moves colours that are hard to read towards white or black. Each line starts without a style,
 * because servers reset the style at the end of a line.
 */
export function parseAnsi(line: string): readonly AnsiSpan[] {
  return renderLine(line, PLAIN, applySgr).map(({ text, style }) => ({ text, ...toLook(style) }));
}

/** Returns whether the span is drawn in the console's default colour without any decoration. */
export function isPlain({ colour, paint, bold, dim, italic, underline, strike }: AnsiSpan): boolean {
  const painted = colour !== null || paint.colour !== null || paint.background !== null;
  return !(painted || bold || dim || italic || underline || strike);
}

function toLook({ colour, background, inverse, ...rest }: AnsiStyle): Omit<AnsiSpan, 'text'> {
  const [front, back] = inverse
    ? [background ?? CONSOLE_GROUND, colour ?? CONSOLE_TEXT]
    : [colour, background];
  if (back !== null) {
    const ground = toRgb(back);
    const text = withContrast(front === null ? CONSOLE_TEXT : toRgb(front), ground);
    return { ...rest, colour: null, paint: { colour: toHex(text), background: toHex(ground) } };
  }
  if (typeof front === 'number' && front < 16) {
    return { ...rest, colour: COLOURS[front % 8] ?? null, paint: NO_PAINT };
  }
  if (front === null) return { ...rest, colour: null, paint: NO_PAINT };
  const text = withContrast(toRgb(front), CONSOLE_GROUND);
  return { ...rest, colour: null, paint: { colour: toHex(text), background: null } };
}

const NO_PAINT = { colour: null, background: null };

function toRgb(colour: number | Rgb): Rgb {
  return typeof colour === 'number' ? paletteColour(colour) : colour;
}

function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = toCodes(parameters);
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes.slice(at + 1));
      if (colour !== null) style = { ...style, [code === 38 ? 'colour' : 'background']: colour };
      at += length;
    } else {
      style = applyCode(style, code);
    }
  }
  return style;
}

/**
 * Parses both notations of parameters: `38;2;r;g;b`, and `38:2::r:g:b` (ISO 8613-6), whose third field is ignored.
 */
function toCodes(parameters: string): readonly number[] {
  return parameters
    .replaceAll(/\b([34]8):2:\d*:(\d+):(\d+):(\d+)/g, '$1;2;$2;$3;$4')
    .split(/[;:]/)
    .map(Number);
}

/** Changes of style by SGR code. Code 0 is a reset. */
const CHANGES: Readonly<Record<number, Partial<AnsiStyle>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { colour: null },
  49: { background: null },
};

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 90 + 8 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 100 + 8 };
  return { ...style, ...CHANGES[code] };
}

/**
 * Parses the parameters after 38 or 48: `5;n` or `2;r;g;b`.
 *
 * @returns the colour (null if it is invalid) and the number of parameters that belong to it
 */
function extendedColour(rest: readonly number[]): { colour: number | Rgb | null; length: number } {
  if (rest[0] === 5) return { colour: isByte(rest[1]) ? rest[1] : null, length: 2 };
  if (rest[0] !== 2) return { colour: null, length: rest.length };
  const [, r, g, b] = rest;
  return { colour: isByte(r) && isByte(g) && isByte(b) ? [r, g, b] : null, length: 4 };
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;
}
