import type uPlot from 'uplot';
import { lastKnown, lonelyIndices, toScale, type ChartSeries } from './series.ts';
import { placeLabels, type WantedLabel } from './labels.ts';

/** Content of a chart. */
export interface Picture {
  readonly at: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Width (px). */
  readonly width: number;
  readonly height: number;
  readonly whole: boolean;
  readonly formatTick: (value: number) => string;
  readonly formatTime: (atMs: number, stepMs: number) => string;
}

interface Listeners {
  /** Called with the index of the moment under the pointer, or with null when the pointer has left the chart. */
  readonly onhover: (index: number | null) => void;
  /** Called with the current positions of the line labels. */
  readonly onlabels: (labels: readonly WantedLabel[]) => void;
}

const tones: Record<ChartSeries['tone'], string> = {
  accent: '--accent',
  second: '--busy',
  muted: '--text-faint',
  warn: '--warn',
};

/** Space to the right of the last moment (px). It holds half of the time label below this moment. */
export const OVERHANG = 16;

const FONT = '11px "Inter Variable", system-ui, sans-serif';

/**
 * Draws a chart with uPlot into an element. uPlot is loaded when the first chart is shown. Without a canvas, nothing
 * is drawn, but the text around the chart contains all values.
 */
export class Painter {
  readonly #listeners: Listeners;
  #host: HTMLElement | null = null;
  #library: typeof uPlot | null = null;
  #plot: uPlot | null = null;
  #picture: Picture | null = null;
  #index: number | null = null;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Draws into this element from now on. @returns a function that detaches from the element */
  readonly attach = (host: HTMLElement): (() => void) => {
    this.#host = host;
    const themes = new MutationObserver(() => this.#plot?.redraw(false, true));
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    if ('Path2D' in window) {
      void import('uplot').then(({ default: library }) => {
        this.#library = library;
        this.#draw();
      });
    }
    return () => {
      themes.disconnect();
      this.#plot?.destroy();
      this.#plot = null;
      this.#host = null;
    };
  };

  /** Shows other values, or the same values in another size. */
  show(picture: Picture): void {
    const before = this.#picture;
    this.#picture = picture;
    if (this.#plot !== null && before !== null && shapeOf(before) === shapeOf(picture)) {
      if (before.width !== picture.width || before.height !== picture.height) {
        this.#plot.setSize({ width: picture.width, height: picture.height });
      }
      this.#plot.setData(toData(picture));
      this.#moveCursor();
    } else this.#draw();
  }

  /** Shows the cursor at a moment that another chart or the keyboard has chosen. Null hides the cursor. */
  moveCursor(index: number | null): void {
    this.#index = index;
    this.#moveCursor();
  }

  #moveCursor(): void {
    const plot = this.#plot;
    if (plot === null || (plot.cursor.idx ?? null) === this.#index) return;
    const at = this.#index === null ? undefined : this.#picture?.at[this.#index];
    const left = at === undefined ? -10 : plot.valToPos(at, 'x');
    plot.setCursor({ left, top: at === undefined ? -10 : 0 }, false);
  }

  #draw(): void {
    const [host, library, picture] = [this.#host, this.#library, this.#picture];
    if (host === null || library === null || picture === null || picture.width === 0) return;
    this.#plot?.destroy();
    this.#plot = new library(this.#options(picture), toData(picture), host);
    this.#moveCursor();
  }

  #options({ series, width, height }: Picture): uPlot.Options {
    return {
      width,
      height,
      ms: 1,
      // The number beside the topmost mark is higher than the mark, so it needs half a line above the chart.
      padding: [8, OVERHANG, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: { size: 7, width: 2, fill: () => colourOf('--surface') },
      },
      scales: { x: { time: true }, y: { range: () => [0, this.#scale().top] } },
      axes: [this.#timeAxis(), this.#valueAxis()],
      series: [{}, ...series.map((one) => this.#series(one))],
      hooks: {
        setCursor: [(plot) => this.#listeners.onhover(plot.cursor.idx ?? null)],
        draw: [(plot) => this.#listeners.onlabels(this.#labels(plot))],
      },
    };
  }

  #timeAxis(): uPlot.Axis {
    return {
      stroke: () => colourOf('--text-faint'),
      font: FONT,
      size: 22,
      gap: 4,
      space: 46,
      grid: { show: false },
      ticks: { show: false },
      values: (_, splits) => {
        const stepMs = (splits[1] ?? 0) - (splits[0] ?? 0);
        return splits.map((at) => this.#picture?.formatTime(at, stepMs) ?? '');
      },
    };
  }

  #valueAxis(): uPlot.Axis {
    return {
      stroke: () => colourOf('--text-faint'),
      font: FONT,
      size: 40,
      gap: 6,
      grid: { stroke: () => colourOf('--border'), width: 1 },
      ticks: { show: false },
      splits: () => [...this.#scale().marks],
      values: (_, splits) => splits.map((value) => this.#picture?.formatTick(value) ?? ''),
    };
  }

  #series({ id, kind, tone }: ChartSeries): uPlot.Series {
    const stroke = (): string => colourOf(tones[tone]);
    const isLimit = kind === 'limit';
    return {
      label: id,
      stroke,
      width: isLimit ? 1.25 : 1.75,
      ...(isLimit ? { dash: [4, 4] } : {}),
      ...(kind === 'area' ? { fill: () => `${stroke()}1f` } : {}),
      points: {
        show: !isLimit,
        size: 5,
        fill: stroke,
        filter: (_, i) => lonelyIndices(this.#picture?.series[i - 1]?.values ?? []),
      },
    };
  }

  #labels(plot: uPlot): readonly WantedLabel[] {
    // Uses values that uPlot has computed, since reading from elements would lay out the page.
    const { top, height } = inCssPx(plot);
    const wanted = (this.#picture?.series ?? []).flatMap((one) => {
      const index = lastKnown(one);
      const value = index === null ? null : (one.values[index] ?? null);
      if (value === null) return [];
      return [{ id: one.id, y: Math.max(0, plot.valToPos(value, 'y')), above: value > this.#scale().top }];
    });
    return placeLabels(wanted, height).map((label) => ({ ...label, y: label.y + top }));
  }

  #scale(): ReturnType<typeof toScale> {
    return toScale(this.#picture?.series ?? [], this.#picture?.whole ?? false);
  }
}

/**
 * Cached values of colour tokens by theme. To read a token, the browser has to compute styles, and each chart needs
 * several tokens.
 */
const colours = new Map<string, string>();

function colourOf(token: string): string {
  const page = document.documentElement;
  const key = `${page.dataset['theme'] ?? ''} ${token}`;
  const known = colours.get(key);
  if (known !== undefined) return known;
  const colour = getComputedStyle(page).getPropertyValue(token).trim();
  colours.set(key, colour);
  return colour;
}

/** Returns the position of the plot area in the chart (CSS px). uPlot itself counts in pixels of the canvas. */
function inCssPx({ bbox, ctx, height }: uPlot): { top: number; height: number } {
  const ratio = ctx.canvas.height / height;
  return { top: bbox.top / ratio, height: bbox.height / ratio };
}

/**
 * Returns a key of the series in a picture. The series of a plot cannot be changed, so a picture with another key
 * needs a new plot.
 */
function shapeOf({ series }: Picture): string {
  return series.map(({ id, kind, tone }) => `${id} ${kind} ${tone}`).join();
}

function toData({ at, series }: Picture): uPlot.AlignedData {
  return [[...at], ...series.map(({ values }) => [...values])];
}
