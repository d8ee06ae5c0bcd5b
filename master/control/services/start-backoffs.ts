import type { TemplateId } from '#shared/model/template.ts';
import { backoffMs, type BackoffLimits } from '#master/core/placement/backoff.ts';

/**
 * A service that ran longer than this before it failed was not broken: its template counts anew. Until it has, one that
 * failed before has not recovered. Ms.
 */
export const STABLE_MS = 60_000;

/** Without another failure for this long after the next try was due, failures are no longer "in a row". Ms. */
const FORGOTTEN_AFTER_MS = 600_000;

interface Setback {
  readonly attempts: number;
  readonly at: number;
  readonly retryAt: number;
  /** Until then another failure is the next one in a row. */
  readonly until: number;
}

/** What is known of the attempt that failed. */
interface FailedAttempt {
  /** How long the service had been up, ms; null when it never was. */
  readonly ranMs: number | null;
  /** How long its start took when that was given up, ms; 0 for other failures. */
  readonly timedOutMs: number;
}

/** Failed starts in a row, per template. In memory only: a restarted master may try at once. */
export class StartBackoffs {
  readonly #limits: BackoffLimits;
  readonly #startBackoffs = new Map<TemplateId, Setback>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a failure. The first one in a row does not wait when the service had been up: the players of a crashed service
   * are on the spare by now, so another spare is wanted at once. A template that crashes again backs off.
   *
   * @returns failed attempts in a row, this one included
   */
  count(template: TemplateId, now: number, { ranMs, timedOutMs }: FailedAttempt): number {
    const isStable = ranMs !== null && ranMs > STABLE_MS;
    const attempts = 1 + (isStable ? 0 : (this.#startBackoffs.get(template)?.attempts ?? 0));
    const isFirstCrash = ranMs !== null && attempts === 1;
    const retryAt = isFirstCrash ? now : now + backoffMs(attempts, this.#limits, timedOutMs);
    // The next start may take as long before it fails.
    const until = retryAt + FORGOTTEN_AFTER_MS + timedOutMs;
    this.#startBackoffs.set(template, { attempts, at: now, retryAt, until });
    return attempts;
  }

  /**
   * A service ended in good order though nobody asked it to. Right after its start that counts like a failure: its
   * template would otherwise start and end for ever, as fast as the machine can.
   */
  countEnd(template: TemplateId, now: number, ranMs: number | null): void {
    if (ranMs === null || ranMs <= STABLE_MS) this.count(template, now, { ranMs, timedOutMs: 0 });
  }

  /** Forgets what is long past, and what lies in the future: the clock was set back, nobody must wait for it. */
  tidy(now: number): void {
    for (const [template, { at, until }] of this.#startBackoffs) {
      if (now < at || now > until) this.#startBackoffs.delete(template);
    }
  }

  retryAt(template: TemplateId): number | null {
    return this.#startBackoffs.get(template)?.retryAt ?? null;
  }

  /** Somebody changed the template: it may be right now, so it is tried at once. */
  forgive(template: TemplateId): void {
    this.#startBackoffs.delete(template);
  }
}
