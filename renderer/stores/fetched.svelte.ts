import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { Refresher, type Pace } from './refresher.ts';

/** A value of the master kept fresh: what every store over one RPC method shares. */
export class Fetched<T> {
  /** Last known; `null` until the first answer of this connection or an earlier one. */
  value = $state.raw<T | null>(null);
  /** When `value` was read, ms since epoch. */
  readAt = $state<number | null>(null);
  loading = $state(false);
  /** Why the last fetch failed; `value` is older then. */
  error = $state.raw<OverworldError | null>(null);
  readonly refresher: Refresher<T>;

  /** @param pace how soon after events it fetches, where that is not as usual */
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

  /** Fetches now: after an own change, or "try again". */
  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /** What an answer becomes: the same objects for what has not changed, where that spares drawing. */
  protected merge(answer: T): T {
    return answer;
  }
}
