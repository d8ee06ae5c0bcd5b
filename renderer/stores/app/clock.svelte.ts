import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 1000;

/** The one ticking clock: everything that shows an age reads it, so all ages change at the same moment. Stands still while nobody looks. */
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

  /** ms since epoch, to the second */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
