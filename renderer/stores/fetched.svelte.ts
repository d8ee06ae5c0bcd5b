import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { Refresher, type Pace } from './refresher.ts';

/**
 * A value of the master that is kept up to date. All stores that call a single RPC method extend or use this class.
 */
export class Fetched<T> {
  /** Last known value, which may come from an earlier connection. Null until the first response. */
  value = $state.raw<T | null>(null);
  /** Time at which `value` was read (ms since epoch). Null before the first response. */
  readAt = $state<number | null>(null);
  loading = $state(false);
  /** Error of the last request. `value` may then be outdated. Null if the request succeeded. */
  error = $state.raw<OverworldError | null>(null);
  readonly refresher: Refresher<T>;

  /**
   * Creates a store that has no value yet.
   *
   * @param pace returns the delay between an event and a request; absent for the default delay
   */
  constructor(fetch: () => Promise<T>, pace?: () => Pace) {
    this.refresher = new Refresher<T>({
      fetch,
      ...(pace === undefined ? {} : { pace }),
      apply: (answer) => {
        this.value = this.merge(answer);
        this.readAt = Date.now();
      },
      onstate: ({ loading, error }) => {
        this.loading = loading;
        if (!loading) this.error = error;
      },
    });
  }

  /** Requests the value immediately. Called after a change by this window, and by "Try again". */
  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /**
   * Returns the new value for a response. Subclasses override this method to keep unchanged objects, which the window
   * then does not redraw.
   */
  protected merge(answer: T): T {
    return answer;
  }
}
