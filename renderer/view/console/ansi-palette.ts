/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The first 16 colours of xterm's 256-colour palette. */
const BASE: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
/** Levels of red, green and blue in the palette's 6×6×6 colour cube, which follows its first 16 colours. */
const LEVELS = [0, 95, 135, 175, 215, 255] as const;
/** Minimum contrast ratio of text and background (WCAG 2.2, 1.4.3). */
const ENOUGH = 4.5;
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Number of steps from a colour to white or black. With 16, a colour keeps its hue wherever possible. */
const STEPS = 16;

/** Returns a colour of xterm's 256-colour palette: 16 named colours, the cube, 24 greys. */
export function paletteColour(n: number): Rgb {
  const base = BASE[n];
  if (base !== undefined) return base;
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = n - 16;
  const level = (step: number): number => LEVELS[step] ?? 0;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/**
 * Returns the colour if it is readable on the background, or else the nearest readable colour towards white or black.
 */
export function withContrast(colour: Rgb, background: Rgb): Rgb {
  if (contrast(colour, background) >= ENOUGH) return colour;
  const end = contrast(WHITE, background) >= contrast(BLACK, background) ? WHITE : BLACK;
  for (let step = 1; step < STEPS; step += 1) {
    const mixed = mix(colour, end, step / STEPS);
    if (contrast(mixed, background) >= ENOUGH) return mixed;
  }
  return end;
}

/** Formats a colour as `#rrggbb`. */
export function toHex(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the contrast ratio of two colours by WCAG 2.2: from 1 (equal) to 21 (black and white). */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function mix([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return [between(r, toR), between(g, toG), between(b, toB)];
}
