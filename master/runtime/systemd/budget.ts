import { setTimeout as sleep } from 'node:timers/promises';
import { preciseMs } from '#shared/node/clock.ts';

interface BudgetLimits {
  readonly perSecond: number;
  /** Amount that may be spent at once after an idle period. */
  readonly atOnce: number;
}

/** Limits a rate: spending more than the current budget waits until the debt is paid. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #end = new AbortController();
  #left: number;
  #at = preciseMs();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
    this.#left = limits.atOnce;
  }

  /** Spends an amount. Resolves when no debt is left, or when the budget is closed. */
  async spend(amount: number): Promise<void> {
    const { perSecond, atOnce } = this.#limits;
    const now = preciseMs();
    this.#left = Math.min(atOnce, this.#left + ((now - this.#at) / 1000) * perSecond) - amount;
    this.#at = now;
    if (this.#left >= 0) return;
    const ms = (-this.#left / perSecond) * 1000;
    // Rejects when the budget is closed, which only ends the wait early.
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  /** Ends all waits. */
  close(): void {
    this.#end.abort();
  }
}
