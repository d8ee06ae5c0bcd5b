import type { TemplateId } from '#shared/model/template.ts';
import { backoffMs, type BackoffLimits } from '#master/core/placement/backoff-delay.ts';

/**
 * Minimum uptime of a stable service (ms). A failure after a longer uptime starts a new count for its template, and
 * an earlier failure is over once the service has been up for longer.
 */
export const STABLE_MS = 60_000;

/** Failures are no longer "in a row" if none occurs within this time after the next attempt was due (ms). */
const FORGOTTEN_AFTER_MS = 600_000;

interface Setback {
  readonly attempts: number;
  readonly at: number;
  readonly retryAt: number;
  /** A failure before this time is the next one in a row. */
  readonly until: number;
}

/** Facts about a failed attempt. */
interface FailedAttempt {
  /** How long the service had been up (ms); null if it never was. */
  readonly ranMs: number | null;
  /** How long its start took before it timed out (ms); 0 for other failures. */
  readonly timedOutMs: number;
}

/** Failed starts in a row, per template. Kept in memory only: a restarted master may retry at once. */
export class StartBackoffs {
  readonly #limits: BackoffLimits;
  readonly #startBackoffs = new Map<TemplateId, Setback>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a failure. The first crash of a service that had been up causes no delay: its players are on the spare
   * by now, so another spare is needed at once. A template that crashes again backs off.
   *
   * @returns number of failed attempts in a row, including this one
   */
  count(template: TemplateId, now: number, { ranMs, timedOutMs }: FailedAttempt): number {
    const isStable = ranMs !== null && ranMs > STABLE_MS;
    const attempts = 1 + (isStable ? 0 : (this.#startBackoffs.get(template)?.attempts ?? 0));
    const isFirstCrash = ranMs !== null && attempts === 1;
    const retryAt = isFirstCrash ? now : now + backoffMs(attempts, this.#limits, timedOutMs);
    // The next start may take as long as this one before it fails.
    const until = retryAt + FORGOTTEN_AFTER_MS + timedOutMs;
    this.#startBackoffs.set(template, { attempts, at: now, retryAt, until });
    return attempts;
  }

  /**
   * Counts a normal exit that was not requested. If it follows right after the start, it counts as a failure: the
   * template would otherwise start and exit in an endless loop.
   */
  countEnd(template: TemplateId, now: number, ranMs: number | null): void {
    if (ranMs === null || ranMs <= STABLE_MS) this.count(template, now, { ranMs, timedOutMs: 0 });
  }

  /** Removes failures that are long past, or lie in the future because the clock was set back. */
  tidy(now: number): void {
    for (const [template, { at, until }] of this.#startBackoffs) {
      if (now < at || now > until) this.#startBackoffs.delete(template);
    }
  }

  retryAt(template: TemplateId): number | null {
    return this.#startBackoffs.get(template)?.retryAt ?? null;
  }

  /** Clears the failures of a template, because a person changed it and it may work now. */
  forgive(template: TemplateId): void {
    this.#startBackoffs.delete(template);
  }
}
