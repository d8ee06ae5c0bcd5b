import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { createSubscriber } from 'svelte/reactivity';

interface Options {
  readonly count: number;
  /** Height of a row, in px: the same for all, or each row's own. Another function: all are counted again. */
  readonly rowHeight: RowHeight;
  /** What scrolls; undefined until mounted. */
  readonly element: HTMLElement | undefined;
  /** Height in px above the first row, inside what scrolls: a sticky header. */
  readonly above?: number;
}

type RowHeight = number | ((index: number) => number);

/** Rows drawn beyond the visible ones, so that a fast wheel shows no gap; from the second frame on. */
const OVERSCAN = 12;

/** The rows to draw out of many: `items`, with `before` and `after` px of space standing for the others. */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly before: number;
  readonly after: number;
  /** How far it is scrolled, px. */
  readonly offset: number;
  readonly scrollTo: (index: number, align?: 'auto' | 'start' | 'end' | 'center') => void;
}

/** Draws only what is seen of a long list. Call while a component is set up; `options` is read again when it changes. */
export function createVirtualRows(options: () => Options): VirtualRows {
  let changed: () => void = () => undefined;
  let height: RowHeight = 0;
  let key = (index: number): number => index;
  let seen = $state(false);
  const virtualizer = new Virtualizer<HTMLElement, HTMLElement>(toVirtualizerOptions());
  const subscribe = createSubscriber((update) => {
    changed = update;
    return virtualizer._didMount();
  });

  /** The virtualizer counts heights again when the function that names its rows is another one. */
  function keyWith(rowHeight: RowHeight): (index: number) => number {
    if (height !== rowHeight) {
      height = rowHeight;
      key = (index) => index;
    }
    return key;
  }

  function toVirtualizerOptions() {
    const { count, rowHeight, element, above = 0 } = options();
    return {
      count,
      estimateSize: typeof rowHeight === 'number' ? () => rowHeight : rowHeight,
      getScrollElement: () => element ?? null,
      getItemKey: keyWith(rowHeight),
      overscan: seen ? OVERSCAN : 0,
      scrollPaddingStart: above,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => changed(),
    };
  }

  const drawn = $derived.by(() => {
    subscribe();
    virtualizer.setOptions(toVirtualizerOptions());
    const items = virtualizer.getVirtualItems();
    const total = virtualizer.getTotalSize();
    const offset = virtualizer.scrollOffset ?? 0;
    return { items, offset, before: items[0]?.start ?? 0, after: total - (items.at(-1)?.end ?? total) };
  });

  // What is seen is drawn first: rows beyond it would only make it later.
  $effect(() => {
    let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(() => (seen = true))));
    return () => cancelAnimationFrame(frame);
  });

  // The element is known only after mounting: then its size and scrolling are watched.
  $effect(() => {
    virtualizer.setOptions(toVirtualizerOptions());
    virtualizer._willUpdate();
  });

  return {
    get items() {
      return drawn.items;
    },
    get before() {
      return drawn.before;
    },
    get after() {
      return drawn.after;
    },
    get offset() {
      return drawn.offset;
    },
    scrollTo: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
  };
}
