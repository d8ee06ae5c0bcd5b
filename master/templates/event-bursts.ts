import { monotonicMs } from '#shared/node/clock.ts';

/**
 * Number of events in a row after which some may be missing. The kernel keeps at most 16,384 unread events for each
 * process (`fs.inotify.max_queued_events`) and drops the others (inotify(7)). Node.js does not report that. The
 * number here is half of it, because Node.js does not pass on the events of folders that are no longer watched.
 */
const MAY_BE_INCOMPLETE = 8192;

/** Time without events after which a burst is over (ms). */
const GAP_MS = 1000;

/**
 * Notices when so many changes were made at once that the kernel may have dropped some of the events about them. All
 * watches of the process have one queue in the kernel, so one object counts the events of all.
 */
class EventBursts {
  readonly #listeners = new Set<() => void>();
  #events = 0;
  #lastAt = 0;

  /** Counts an event of a watch. */
  count(): void {
    const now = monotonicMs();
    this.#events = now - this.#lastAt < GAP_MS ? this.#events + 1 : 1;
    this.#lastAt = now;
    if (this.#events === MAY_BE_INCOMPLETE) this.#endSoon(GAP_MS);
  }

  /**
   * Calls the listener after each burst of events of which some may be missing.
   *
   * @returns a function that removes the listener
   */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #endSoon(delayMs: number): void {
    setTimeout(() => this.#endIfQuiet(), delayMs).unref();
  }

  #endIfQuiet(): void {
    const quietMs = monotonicMs() - this.#lastAt;
    if (quietMs < GAP_MS) {
      this.#endSoon(GAP_MS - quietMs);
      return;
    }
    this.#events = 0;
    for (const listener of this.#listeners) listener();
  }
}

export const eventBursts = new EventBursts();
