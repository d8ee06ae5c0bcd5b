import { createSubscriber } from 'svelte/reactivity';

/** A height (px) that a style defines. It depends on the density in the preferences. */
class RowHeight {
  readonly #property: string;
  /** Height that applies if no style defines one (px). */
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

/** Height of table rows. */
export const rowHeight = new RowHeight('--row-height', 36);
/** Height of rows with two lines, such as events. */
export const doubleRowHeight = new RowHeight('--row-double', 56);
