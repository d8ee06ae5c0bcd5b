import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 1000;

/** Clock for all displayed ages, so that they change at the same moment. It stops while the window is hidden. */
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

  /** Current time (ms since epoch). Components that read it are updated every second. */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
