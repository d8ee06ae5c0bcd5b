import type { TemplateId } from '#shared/model/template.ts';
import { backoffMs, type BackoffLimits } from '#master/core/backoff.ts';

/** A service that ran this long before it failed was not broken: its template starts counting anew. Ms. */
const STABLE_MS = 60_000;

interface Setback {
  readonly attempts: number;
  readonly retryAt: number;
}

/** Failed starts in a row, per template. In memory only: a restarted master may try at once. */
export class Setbacks {
  readonly #limits: BackoffLimits;
  readonly #setbacks = new Map<TemplateId, Setback>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a failure.
   *
   * @param ranMs how long the service had been up, 0 when it never was
   * @returns failed attempts in a row, this one included
   */
  count(template: TemplateId, now: number, ranMs: number): number {
    const before = ranMs > STABLE_MS ? 0 : (this.#setbacks.get(template)?.attempts ?? 0);
    const attempts = before + 1;
    this.#setbacks.set(template, { attempts, retryAt: now + backoffMs(attempts, this.#limits) });
    return attempts;
  }

  retryAt(template: TemplateId): number | null {
    return this.#setbacks.get(template)?.retryAt ?? null;
  }

  /** Somebody changed the template: it may be right now, so it is tried at once. */
  forgive(template: TemplateId): void {
    this.#setbacks.delete(template);
  }
}
