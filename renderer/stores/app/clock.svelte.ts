import { createSubscriber } from 'svelte/reactivity';
import { link } from '../connection/link.svelte.ts';
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

  /** Current time of this computer (ms since epoch). Components that read it are updated every second. */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }

  /**
   * Current time by the master's clock (ms since epoch), for the age of all times that the master reports. While the
   * app is offline, the offset of the last connection applies. Components are updated as by {@link now}.
   */
  get masterNow(): number {
    return this.now + (link.value?.clockOffsetMs ?? 0);
  }
}

export const clock = new Clock();
