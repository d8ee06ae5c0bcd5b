import type { Logger } from 'pino';
import type { PluginLinkEvent } from './link.ts';

/**
 * Calls the listeners with each event, after the current work is done. An error in one listener does not affect the
 * others.
 */
export class Listeners {
  readonly #listeners = new Set<(event: PluginLinkEvent) => void>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a listener. @returns a function that removes it */
  on(listener: (event: PluginLinkEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all listeners with an event in a microtask. An error of a listener is logged. */
  emit(event: PluginLinkEvent): void {
    queueMicrotask(() => {
      for (const listener of [...this.#listeners]) {
        try {
          listener(event);
        } catch (error) {
          this.#log.error({ err: error, kind: event.kind }, 'an event of the plugin link was not processed');
        }
      }
    });
  }
}
