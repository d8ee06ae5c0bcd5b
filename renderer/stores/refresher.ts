import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { visibility } from './app/visibility.ts';

interface Options<T> {
  readonly fetch: () => Promise<T>;
  /**
   * Applies a response. Not called for outdated responses: responses to requests before the latest one, and responses
   * to requests before a reset.
   */
  readonly apply: (answer: T) => void;
  /** Called when a request begins, and when it ends or its response is dropped. `error` is null while loading. */
  readonly onstate: (state: { loading: boolean; error: OverworldError | null }) => void;
  /** Returns the delay between an event and a request. Called at each event, because it may depend on the data. */
  readonly pace?: () => Pace;
}

/**
 * Delay between an event and a request. The request is sent when no further event has arrived for `quietMs`, but not
 * later than `capMs` after the first event.
 */
export interface Pace {
  readonly quietMs: number;
  readonly capMs: number;
}

const USUAL_PACE: Pace = { quietMs: 100, capMs: 400 };

/**
 * Delay before a request is repeated after a temporary error (ms). Without the repetition, the data would stay
 * outdated until the next event.
 */
const RETRY_MS = 5000;

/** The `refresh` functions of all connected stores. */
const connected = new Set<() => Promise<void>>();

/** Requests all displayed data again (F5). */
export function refreshAll(): void {
  for (const refresh of [...connected]) void refresh();
}

/**
 * Requests data again after "stale" events. Combines events in quick succession, sends one request at a time, waits
 * while the window is hidden (see {@link Refresher.stayAwake}), and drops outdated responses.
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
  /**
   * Number of connected screens. When the window changes screens, the new screen connects before the old one
   * disconnects.
   */
  #watching = 0;
  /** Number of callers of `stayAwake` that still need the data. */
  #awake = 0;

  constructor(options: Options<T>) {
    this.#options = { pace: () => USUAL_PACE, ...options };
  }

  /** Requests the data after the delay, because it may have changed. */
  readonly stale = (): void => {
    const now = Date.now();
    this.#firstEventAt ??= now;
    const { quietMs, capMs } = this.#options.pace();
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(quietMs, this.#firstEventAt + capMs - now));
    this.#timer = setTimeout(() => void this.refresh(), wait);
  };

  /**
   * Requests the data now. If a request is running, sends another request after it. If the window is hidden, waits
   * until the window becomes visible, except after {@link stayAwake}.
   */
  readonly refresh = async (): Promise<void> => {
    this.#clearTimers();
    if (!visibility.visible && this.#awake === 0) {
      this.#waitsForSight = true;
      return;
    }
    if (this.#fetching) {
      this.#again = true;
      return;
    }
    await this.#fetchOnce();
  };

  /** Drops planned requests and the response to the running one, for example after a change of the connection. */
  readonly reset = (): void => {
    this.#clearTimers();
    this.#run += 1;
    this.#again = false;
    if (!this.#fetching) return;
    this.#fetching = false;
    this.#options.onstate({ loading: false, error: null });
  };

  /**
   * Connects a screen: sends a delayed request when the window becomes visible, and includes the data in
   * {@link refreshAll}.
   *
   * @returns a function that disconnects the screen; when no screen is connected any more, all requests are dropped
   */
  readonly connect = (): (() => void) => {
    const stop = visibility.onVisible(() => {
      if (!this.#waitsForSight) return;
      this.#waitsForSight = false;
      void this.refresh();
    });
    this.#watching += 1;
    connected.add(this.refresh);
    return () => {
      stop();
      this.#watching -= 1;
      if (this.#watching > 0) return;
      connected.delete(this.refresh);
      this.reset();
    };
  };

  /**
   * Sends requests also while the window is hidden, for a task of the window that goes on then.
   *
   * @returns a function that ends this
   */
  readonly stayAwake = (): (() => void) => {
    this.#awake += 1;
    return () => {
      this.#awake -= 1;
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
