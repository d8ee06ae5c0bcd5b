import type { Logger } from 'pino';
import type { LinkEvent } from './link.ts';

/** Reports events to listeners, after the current work is done. An error in one listener does not affect others. */
export class Listeners {
  readonly #listeners = new Set<(event: LinkEvent) => void>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  on(listener: (event: LinkEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: LinkEvent): void {
    queueMicrotask(() => {
      for (const listener of [...this.#listeners]) {
        try {
          listener(event);
        } catch (error) {
          this.#log.error({ err: error, kind: event.kind }, 'news of the plugin link were not taken');
        }
      }
    });
  }
}
