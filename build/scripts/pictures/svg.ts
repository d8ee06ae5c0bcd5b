/** Colours on a light card, so that the picture looks the same on light and dark pages. */
export const INK = {
  text: '#1f2328',
  muted: '#59636e',
  grid: '#e3e7eb',
  card: '#ffffff',
  edge: '#d0d7de',
} as const;

export interface Point {
  readonly x: number;
  readonly y: number;
}

type Attributes = Readonly<Record<string, string | number>>;

/** Returns an SVG element as text. Numbers are rounded to a tenth of a pixel, so that files are small and stable. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeText(value)}"`,
  );
  return content === ''
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content}</${name}>`;
}

export function text(at: Point, words: string, attributes: Attributes = {}): string {
  return element('text', { x: at.x, y: at.y, ...attributes }, escapeText(words));
}

export function line(from: Point, to: Point, attributes: Attributes): string {
  return element('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, ...attributes });
}

/** Returns the SVG path through the points. Example: `M1 2L3 4`. */
export function pathThrough(points: readonly Point[]): string {
  return points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
}

/** Returns an SVG path that keeps each value until the next point, for values that change in steps. */
export function stepPath(points: readonly Point[], untilX: number): string {
  const first = points[0];
  if (first === undefined) return '';
  const steps = points.slice(1).map(({ x, y }) => `H${round(x)}V${round(y)}`);
  return `M${round(first.x)} ${round(first.y)}${steps.join('')}H${round(untilX)}`;
}

/** Closes an SVG path: from its last point down to a base line, and back to its first point. */
export function closeTo(path: string, { from, to, y }: { from: number; to: number; y: number }): string {
  return `${path}L${round(to)} ${round(y)}L${round(from)} ${round(y)}Z`;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Title, shown above the picture and read by screen readers. */
  readonly title: string;
  /** Description for screen readers. */
  readonly description: string;
  readonly body: readonly string[];
}

/**
 * Returns a complete SVG file. Texts are not converted to paths, so that they can be searched, selected and read aloud.
 */
export function document({ width, height, title, description, body }: Picture): string {
  const card = {
    x: 0.5,
    y: 0.5,
    width: width - 1,
    height: height - 1,
    rx: 8,
    fill: INK.card,
    stroke: INK.edge,
  };
  const lines = [
    element('title', { id: 'title' }, escapeText(title)),
    element('desc', { id: 'desc' }, escapeText(description)),
    element('rect', card),
    text({ x: 20, y: 30 }, title, { 'font-size': 16, 'font-weight': 600 }),
    ...body,
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-labelledby': 'title desc',
    'font-family': 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif',
    'font-size': 12,
    fill: INK.text,
  };
  return `${element('svg', attributes, `\n${lines.join('\n')}\n`)}\n`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escapeText(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
