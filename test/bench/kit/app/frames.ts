import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';

/** Frame times of one measurement. */
export interface Frames {
  readonly count: number;
  /** 95th percentile of the time between two frames (ms). */
  readonly p95Ms: number;
  /**
   * 95th percentile of the time for which a frame kept the page busy: script, styles, layout and paint records
   * (ms).
   */
  readonly workP95Ms: number;
  /** Number of frames that were late by more than half of a frame time. */
  readonly late: number;
}

/** Distance scrolled per frame (px), as with a fast mouse wheel. */
const STEP_PX = 40;
/** Time of one frame on a 60 Hz display (ms). */
const FRAME_MS = 1000 / 60;
const STATIC_ROWS = 600;
const STATIC_COLUMNS = 9;

/** Loads the measuring script into the page. Must be called again after each reload. */
export async function prepareFrames(window: Page): Promise<void> {
  await window.evaluate(await readFile(new URL('../../page/frames.js', import.meta.url), 'utf8'));
}

/** Scrolls the services table, or the static page that covers it, and measures each frame. */
export async function scrollAndMeasure(window: Page, seconds: number): Promise<Frames> {
  const { between, work } = await window.evaluate<{ between: number[]; work: number[] }>(
    `benchFrames.scroll(${seconds * 1000}, ${STEP_PX})`,
  );
  return {
    count: between.length,
    p95Ms: percentile(between, 95),
    workP95Ms: percentile(work, 95),
    late: between.filter((ms) => ms > 1.5 * FRAME_MS).length,
  };
}

/**
 * Covers the window with a page of plain rows.
 *
 * @returns a function that removes this page
 */
export async function coverWithStaticPage(window: Page): Promise<() => Promise<void>> {
  await window.evaluate(`benchFrames.cover(${STATIC_ROWS}, ${STATIC_COLUMNS})`);
  return async () => {
    await window.evaluate('benchFrames.uncover()');
  };
}

/**
 * Returns a percentile of the values by the nearest-rank method.
 *
 * @throws Error without values
 */
function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.ceil((percent / 100) * sorted.length) - 1];
  if (value === undefined) throw new Error('no frames');
  return value;
}
