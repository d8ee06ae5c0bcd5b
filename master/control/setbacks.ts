import type { TemplateId } from '#shared/model/template.ts';
import { backoffMs, type BackoffLimits } from '#master/core/backoff.ts';

/** A service that ran this long before it failed was not broken: its template starts counting anew. Ms. */
const STABLE_MS = 60_000;

/** Without another failure for this long after the next try was due, failures are no longer "in a row". Ms. */
const FORGOTTEN_AFTER_MS = 600_000;

interface Setback {
  readonly attempts: number;
  readonly at: number;
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
    this.#setbacks.set(template, { attempts, at: now, retryAt: now + backoffMs(attempts, this.#limits) });
    return attempts;
  }

  /**
   * A service ended in good order though nobody asked it to. Right after its start that counts like a failure: its
   * template would otherwise start and end for ever, as fast as the machine can.
   */
  countEnd(template: TemplateId, now: number, ranMs: number): void {
    if (ranMs <= STABLE_MS) this.count(template, now, ranMs);
  }

  /** Forgets what is long past, and what lies in the future: the clock was set back, nobody must wait for it. */
  tidy(now: number): void {
    for (const [template, { at, retryAt }] of this.#setbacks) {
      if (now < at || now > retryAt + FORGOTTEN_AFTER_MS) this.#setbacks.delete(template);
    }
  }

  retryAt(template: TemplateId): number | null {
    return this.#setbacks.get(template)?.retryAt ?? null;
  }

  /** Somebody changed the template: it may be right now, so it is tried at once. */
  forgive(template: TemplateId): void {
    this.#setbacks.delete(template);
  }
}
