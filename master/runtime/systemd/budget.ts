import { setTimeout as sleep } from 'node:timers/promises';
import { preciseMs } from '#shared/node/clock.ts';

interface BudgetLimits {
  readonly perSecond: number;
  /** So much may be spent at once after a quiet time. */
  readonly atOnce: number;
}

/** Limits how much is taken in a time: whoever has spent more than there is waits until it has come in again. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #end = new AbortController();
  #left: number;
  #at = preciseMs();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
    this.#left = limits.atOnce;
  }

  /** Resolves when there is nothing owed any more, or it was closed. */
  async spend(amount: number): Promise<void> {
    const { perSecond, atOnce } = this.#limits;
    const now = preciseMs();
    this.#left = Math.min(atOnce, this.#left + ((now - this.#at) / 1000) * perSecond) - amount;
    this.#at = now;
    if (this.#left >= 0) return;
    const ms = (-this.#left / perSecond) * 1000;
    // Rejects when it is closed, which is nothing but an early end.
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  /** Nobody waits any more. */
  close(): void {
    this.#end.abort();
  }
}
