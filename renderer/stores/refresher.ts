import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';

interface Options<T> {
  readonly fetch: () => Promise<T>;
  /** Applies an answer. Not called with an outdated one, after a newer request or a reset. */
  readonly apply: (answer: T) => void;
  readonly onstate: (state: { loading: boolean; error: OverworldError | null }) => void;
  /** Delay between an event and a request. Read at each event, since it may depend on the amount of data. */
  readonly pace?: () => Pace;
}

/** Waits for a pause of `quietMs` between events, but at most `capMs` after the first one. */
export interface Pace {
  readonly quietMs: number;
  readonly capMs: number;
}

const USUAL_PACE: Pace = { quietMs: 100, capMs: 400 };

/** Delay before a failed request is repeated (ms). Errors such as timeouts are temporary, and no event may follow. */
const RETRY_MS = 5000;

/** The `refresh` functions of all connected stores. */
const connected = new Set<() => Promise<void>>();

/** Requests all displayed data again (F5). */
export function refreshAll(): void {
  for (const refresh of [...connected]) void refresh();
}

/**
 * Turns "stale" events into requests: debounced with a cap, paused while the window is hidden, one request at a
 * time, outdated answers dropped.
 */
export class Refresher<T> {
  readonly #options: Required<Options<T>>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #firstEventAt: number | null = null;
  #run = 0;
  #fetching = false;
  #again = false;
  #waitsForSight = false;
  /** Number of screens that use it. A new screen connects before the old one disconnects. */
  #watching = 0;

  constructor(options: Options<T>) {
    this.#options = { pace: () => USUAL_PACE, ...options };
  }

  /** Requests the data soon because it may have changed. */
  readonly stale = (): void => {
    const now = Date.now();
    this.#firstEventAt ??= now;
    const { quietMs, capMs } = this.#options.pace();
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(quietMs, this.#firstEventAt + capMs - now));
    this.#timer = setTimeout(() => void this.refresh(), wait);
  };

  /**
   * Requests the data now, or once more after the current request. While the window is hidden: when it becomes
   * visible.
   */
  readonly refresh = async (): Promise<void> => {
    this.#clearTimers();
    if (document.visibilityState === 'hidden') {
      this.#waitsForSight = true;
      return;
    }
    if (this.#fetching) {
      this.#again = true;
      return;
    }
    await this.#fetchOnce();
  };

  /** Drops the current request, for example because it belongs to another connection. */
  readonly reset = (): void => {
    this.#clearTimers();
    this.#run += 1;
    this.#fetching = false;
    this.#again = false;
  };

  /**
   * Observes the window's visibility. @returns a function that stops it, and stops everything once no screen uses
   * it
   */
  readonly connect = (): (() => void) => {
    const onVisible = (): void => {
      if (document.visibilityState === 'hidden' || !this.#waitsForSight) return;
      this.#waitsForSight = false;
      void this.refresh();
    };
    document.addEventListener('visibilitychange', onVisible);
    this.#watching += 1;
    connected.add(this.refresh);
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      this.#watching -= 1;
      if (this.#watching > 0) return;
      connected.delete(this.refresh);
      this.reset();
    };
  };

  async #fetchOnce(): Promise<void> {
    const run = ++this.#run;
    const { fetch, apply, onstate } = this.#options;
    this.#fetching = true;
    onstate({ loading: true, error: null });
    let error: OverworldError | null = null;
    try {
      const answer = await fetch();
      if (run !== this.#run) return;
      apply(answer);
    } catch (thrown) {
      if (run !== this.#run) return;
      error = toOverworldError(thrown);
    }
    this.#fetching = false;
    onstate({ loading: false, error });
    if (this.#again) {
      this.#again = false;
      this.stale();
    } else if (error?.retry === true) {
      this.#retry = setTimeout(() => void this.refresh(), RETRY_MS);
    }
  }

  #clearTimers(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#timer = null;
    this.#retry = null;
    this.#firstEventAt = null;
  }
}
