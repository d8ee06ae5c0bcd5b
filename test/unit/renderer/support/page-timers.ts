import { afterAll } from 'vitest';

/**
 * Ends the timers of a page when the page ends, as browsers do. jsdom does not end timers, because it uses the timers
 * of Node.js. For example, a dialog restores the page's scrolling 24 ms after it has closed, and a toast disappears
 * after some seconds. If the last test of a file has ended by then, the page is gone, and the timer fails outside of
 * all tests.
 */
const pending = new Set<ReturnType<typeof setTimeout>>();
const { setTimeout: start, clearTimeout: clear } = globalThis;

function startTimer(
  callback: (...args: unknown[]) => void,
  ms?: number,
  ...args: unknown[]
): ReturnType<typeof start> {
  const timer = start(() => {
    pending.delete(timer);
    callback(...args);
  }, ms);
  pending.add(timer);
  return timer;
}

globalThis.setTimeout = Object.assign(startTimer, start);
globalThis.clearTimeout = (timer) => {
  if (typeof timer === 'object') pending.delete(timer);
  clear(timer);
};

afterAll(() => {
  for (const timer of pending) clear(timer);
  pending.clear();
});
