/**
 * Gives every element a size, and adds the functions that headless components need to the window. jsdom has no
 * layout: every element is 0 px high, so a virtual list would render nothing.
 *
 * @returns a function that restores jsdom's own values
 */
export function pretendLayout({ width, height }: { width: number; height: number }): () => void {
  const prototype = HTMLElement.prototype;
  const sizes = { offsetWidth: width, offsetHeight: height, clientWidth: width, clientHeight: height };
  const before = Object.keys(sizes).map(
    (name) => [name, Object.getOwnPropertyDescriptor(prototype, name)] as const,
  );
  for (const [name, value] of Object.entries(sizes)) {
    Object.defineProperty(prototype, name, { configurable: true, get: () => value });
  }
  prototype.scrollIntoView = () => undefined;
  // jsdom has no ResizeObserver. An empty class is enough, because tests resize nothing.
  if (!('ResizeObserver' in globalThis)) Object.assign(globalThis, { ResizeObserver: NoResizeObserver });
  if (!('DOMRect' in globalThis)) Object.assign(globalThis, { DOMRect: PlainRect });
  // CodeMirror uses `execCommand` for selections within a shadow root.
  Object.assign(document, { execCommand: () => false });
  // Text has no position without a layout.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Range.prototype.getBoundingClientRect = () => new DOMRect();
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(prototype, name);
      else Object.defineProperty(prototype, name, descriptor);
    }
  };
}

class NoResizeObserver {
  readonly observe = (): void => undefined;
  readonly unobserve = (): void => undefined;
  readonly disconnect = (): void => undefined;
}

class PlainRect {
  constructor(...[x = 0, y = 0, width = 0, height = 0]: number[]) {
    Object.assign(this, { x, y, width, height, left: x, top: y, right: x + width, bottom: y + height });
  }
  toJSON(): object {
    return Object.assign({}, this);
  }
}
