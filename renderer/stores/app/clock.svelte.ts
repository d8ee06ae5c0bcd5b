import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 1000;

/**
 * Ticking clock that every displayed age reads, so that all ages change at the same moment. Stops while the window
 * is hidden.
 */
class Clock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') update();
    }, TICK_MS);
    document.addEventListener('visibilitychange', update);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  });

  /** Current time (ms since epoch), rounded to the second. */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
