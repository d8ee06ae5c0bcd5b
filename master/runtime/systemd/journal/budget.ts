import { setTimeout as sleep } from 'node:timers/promises';
import { preciseMs } from '#shared/node/clock.ts';
import { TokenBucket } from '#shared/node/token-bucket.ts';

/** Limits a rate by making callers wait. */
export class Budget {
  readonly #bucket: TokenBucket;
  readonly #closed = new AbortController();

  constructor(limits: { readonly burst: number; readonly perSecond: number }) {
    this.#bucket = new TokenBucket({ ...limits, now: preciseMs() });
  }

  /** Resolves once the amount is within the rate, or when the budget is closed. */
  async spend(amount: number): Promise<void> {
    const waitMs = this.#bucket.spend(amount, preciseMs());
    if (waitMs === 0) return;
    // `sleep` rejects only when the budget is closed, which ends the wait early.
    await sleep(waitMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
  }

  /** Ends all waits immediately, so that their promises resolve. */
  close(): void {
    this.#closed.abort();
  }
}
