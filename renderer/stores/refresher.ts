import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';

interface Options<T> {
  readonly fetch: () => Promise<T>;
  /** Takes in an answer; not called with one that came late (a newer fetch or a reset was begun since). */
  readonly apply: (answer: T) => void;
  readonly onstate: (state: { loading: boolean; error: OverworldError | null }) => void;
  /** How soon after an event it fetches: asked at each one, as it may depend on how much there is to fetch. */
  readonly pace?: () => Pace;
}

/** Waits for a pause of `quietMs` in the events, but no longer than `capMs` after the first. */
export interface Pace {
  readonly quietMs: number;
  readonly capMs: number;
}

const USUAL_PACE: Pace = { quietMs: 100, capMs: 400 };

/** How soon a failed fetch is tried again by itself, ms: errors like a timeout pass, and no event may come to wake us. */
const RETRY_MS = 5000;

/** Those that watch, each by its `refresh`. */
const connected = new Set<() => Promise<void>>();

/** Fetches everything that is shown anew, because a person wants to be sure (F5). */
export function refreshAll(): void {
  for (const refresh of [...connected]) void refresh();
}

/**
 * Turns "stale" events into fetches: debounced with a cap, paused while the window is hidden, one
 * fetch at a time, late answers dropped.
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
  /** How many watch: a screen that comes does so before the one that goes has ended. */
  #watching = 0;

  constructor(options: Options<T>) {
    this.#options = { pace: () => USUAL_PACE, ...options };
  }

  /** Something may have changed: fetches soon. */
  readonly stale = (): void => {
    const now = Date.now();
    this.#firstEventAt ??= now;
    const { quietMs, capMs } = this.#options.pace();
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(quietMs, this.#firstEventAt + capMs - now));
    this.#timer = setTimeout(() => void this.refresh(), wait);
  };

  /** Fetches now; when a fetch is under way, once more after it. While hidden: as soon as it is seen again. */
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

  /** Forgets what is under way: its answer is about a world that is gone (another connection). */
  readonly reset = (): void => {
    this.#clearTimers();
    this.#run += 1;
    this.#fetching = false;
    this.#again = false;
  };

  /** Watches the window's visibility. @returns stops that, and everything once nobody watches any more */
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
