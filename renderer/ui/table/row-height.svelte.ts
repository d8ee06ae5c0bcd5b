import { createSubscriber } from 'svelte/reactivity';

/** A height in px that a style sets by the density chosen in Preferences. */
class RowHeight {
  readonly #property: string;
  /** Where no style says it. */
  readonly #usualPx: number;
  #px: number | null = null;
  readonly #subscribe = createSubscriber((update) => {
    const observer = new MutationObserver(() => {
      this.#px = null;
      update();
    });
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
    return () => {
      observer.disconnect();
      this.#px = null;
    };
  });

  constructor(property: string, usualPx: number) {
    this.#property = property;
    this.#usualPx = usualPx;
  }

  get px(): number {
    if (!$effect.tracking()) return this.#read();
    this.#subscribe();
    this.#px ??= this.#read();
    return this.#px;
  }

  #read(): number {
    const value = parseFloat(getComputedStyle(document.documentElement).getPropertyValue(this.#property));
    return Number.isFinite(value) && value > 0 ? value : this.#usualPx;
  }
}

/** Of rows in tables. */
export const rowHeight = new RowHeight('--row-height', 36);
/** Of rows with two lines: events. */
export const doubleRowHeight = new RowHeight('--row-double', 56);
