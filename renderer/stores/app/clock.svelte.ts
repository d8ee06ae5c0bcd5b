import { createSubscriber } from 'svelte/reactivity';
import { visibility } from './visibility.ts';

const TICK_MS = 1000;

/** Clock for all displayed ages, so that they change at the same moment. It stops while the window is hidden. */
class Clock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(() => {
      if (visibility.visible) update();
    }, TICK_MS);
    const stop = visibility.onVisible(update);
    return () => {
      clearInterval(timer);
      stop();
    };
  });

  /** Current time (ms since epoch). Components that read it are updated every second. */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
