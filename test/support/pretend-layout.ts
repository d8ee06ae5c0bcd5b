/**
 * jsdom lays nothing out: every element is 0 px high, so a list that draws only what is seen would draw nothing.
 * This gives every element a size, and the window what headless pieces ask for.
 *
 * @returns undoes it
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
  globalThis.DOMRect ??= class {
    constructor(
      readonly x = 0,
      readonly y = 0,
      readonly width = 0,
      readonly height = 0,
    ) {}
    readonly left = this.x;
    readonly top = this.y;
    readonly right = this.x + this.width;
    readonly bottom = this.y + this.height;
  } as unknown as typeof DOMRect;
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(prototype, name);
      else Object.defineProperty(prototype, name, descriptor);
    }
  };
}
