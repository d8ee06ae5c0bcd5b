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
  /**
   * Height of a row (px): a constant, or a function of the row. If the function is replaced, all heights are computed
   * again.
   */
  readonly rowHeight: RowHeight;
  /** The scrolling element. Undefined until it is mounted. */
  readonly element: HTMLElement | undefined;
  /** Height above the first row inside the scrolling element (px), such as the height of a sticky header. */
  readonly above?: number;
}

type RowHeight = number | ((index: number) => number);

/**
 * Number of rows that are drawn beyond the visible ones, so that fast scrolling shows no gap. The first frame does
 * not draw these rows.
 */
const OVERSCAN = 12;

/**
 * The rows to draw (`items`), and the heights (px) of the rows above (`before`) and below (`after`) that are not
 * drawn.
 */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly before: number;
  readonly after: number;
  /** Scroll position (px). */
  readonly offset: number;
  readonly scrollTo: (index: number, align?: 'auto' | 'start' | 'end' | 'center') => void;
}

/**
 * Returns the rows of a long list that must be drawn: the visible rows and a few more. Must be called during the
 * initialisation of a component. Reacts to changes of `options`.
 */
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

  /**
   * Returns a new key function for each row height, because the virtualizer recomputes heights when this function
   * changes.
   */
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

  // The first frame draws only the visible rows, because further rows would delay it.
  $effect(() => {
    let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(() => (seen = true))));
    return () => cancelAnimationFrame(frame);
  });

  // The element is known only after mounting. From then on, its size and scroll position are observed.
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
