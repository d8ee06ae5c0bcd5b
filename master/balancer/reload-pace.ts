import { exponentialDelayMs, type BackoffRange } from '#shared/backoff.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Minimum time between reloads (ms). Each reload leaves an old worker running until its last player has left. Several
 * changes therefore share one reload.
 */
const BETWEEN_MS = 3_000;
const RETRY: BackoffRange = { firstMs: 5_000, maxMs: 60_000 };

/**
 * Decides when HAProxy may be reloaded again. After a successful reload, the next one must wait 3 s unless it is
 * urgent. After a failed reload, the wait is longer, and grows with each failure in a row.
 */
export class ReloadPace {
  #notBefore = 0;
  #failures = 0;
  #lastFailure: OverworldError | null = null;

  /**
   * Reports whether HAProxy may be reloaded now.
   *
   * @param isUrgent whether players cannot join before the reload. An urgent reload need not wait, unless the last
   *   reload failed
   */
  mayReload(isUrgent: boolean): boolean {
    return (isUrgent && this.#lastFailure === null) || monotonicMs() >= this.#notBefore;
  }

  /** Error of the last reload; null if it succeeded or if there was none. */
  get lastFailure(): OverworldError | null {
    return this.#lastFailure;
  }

  /** Records a successful reload. */
  succeeded(): void {
    this.reset();
    this.#notBefore = monotonicMs() + BETWEEN_MS;
  }

  /** Records a failed reload. */
  failed(error: OverworldError): void {
    this.#lastFailure = error;
    this.#notBefore = monotonicMs() + exponentialDelayMs(this.#failures, RETRY);
    this.#failures += 1;
  }

  /** Allows a reload immediately, because a person requested it. */
  reset(): void {
    this.#notBefore = 0;
    this.#failures = 0;
    this.#lastFailure = null;
  }
}
