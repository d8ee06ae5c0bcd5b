import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { Refresher, type Pace } from './refresher.ts';

/** A value of the master that is kept up to date. All stores over a single RPC method share it. */
export class Fetched<T> {
  /** Last known value. Null until the first answer of this or an earlier connection. */
  value = $state.raw<T | null>(null);
  /** When `value` was read, ms since epoch. */
  readAt = $state<number | null>(null);
  loading = $state(false);
  /** Why the last request failed. `value` is outdated then. */
  error = $state.raw<OverworldError | null>(null);
  readonly refresher: Refresher<T>;

  /** @param pace delay between events and a request, if it differs from the default */
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

  /** Requests the value immediately: after a change by this window, or on "Try again". */
  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /** Merges an answer into the known value. Keeps unchanged objects where that avoids redrawing. */
  protected merge(answer: T): T {
    return answer;
  }
}
