import { monotonicMs } from '#shared/node/clock.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';

/** Each reload leaves an old worker behind until its last player has gone: not one for each of many changes, ms. */
const BETWEEN_MS = 3_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60_000;

/** When HAProxy may be told to read its file again. */
export class ReloadPace {
  #notBefore = 0;
  #failures = 0;
  #lastFailure: OverworldError | null = null;

  /** @param isUrgent nobody gets in until then */
  mayReload(isUrgent: boolean): boolean {
    return (isUrgent && this.#lastFailure === null) || monotonicMs() >= this.#notBefore;
  }

  /** Why the last one failed; null when it did not. */
  get lastFailure(): OverworldError | null {
    return this.#lastFailure;
  }

  succeeded(): void {
    this.reset();
    this.#notBefore = monotonicMs() + BETWEEN_MS;
  }

  failed(error: OverworldError): void {
    this.#lastFailure = error;
    this.#notBefore = monotonicMs() + Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures += 1;
  }

  /** A person asks: at once. */
  reset(): void {
    this.#notBefore = 0;
    this.#failures = 0;
    this.#lastFailure = null;
  }
}
