import { createSubscriber } from 'svelte/reactivity';

/** Where no style says it. */
const USUAL_PX = 36;

/** The height of table rows in px: `--row-height`, which the density chosen in Preferences sets. */
class RowHeight {
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

  get px(): number {
    if (!$effect.tracking()) return readRowHeight();
    this.#subscribe();
    this.#px ??= readRowHeight();
    return this.#px;
  }
}

function readRowHeight(): number {
  const value = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row-height'));
  return Number.isFinite(value) && value > 0 ? value : USUAL_PX;
}

export const rowHeight = new RowHeight();
