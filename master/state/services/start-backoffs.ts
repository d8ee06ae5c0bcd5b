import type { TemplateId } from '#shared/model/template.ts';
import { backoffMs, type BackoffLimits } from '#master/core/placement/backoff-delay.ts';

/**
 * Uptime from which a service counts as stable (ms). A failure after a longer uptime starts a new count for its
 * template. The last failure of a service is cleared after this uptime, too.
 */
export const STABLE_MS = 60_000;

/** Time after a retry becomes due, during which another failure counts as the next failure in a row (ms). */
const FORGOTTEN_AFTER_MS = 600_000;

interface Setback {
  readonly attempts: number;
  readonly at: number;
  readonly retryAt: number;
  /** Time until which another failure counts as the next one in a row (ms since epoch). */
  readonly until: number;
}

/** Facts about a failed attempt. */
interface FailedAttempt {
  /** How long the service had been up (ms); null if it never was. */
  readonly ranMs: number | null;
  /** How long the service's start took before it timed out (ms); 0 for other failures. */
  readonly timedOutMs: number;
  /**
   * When the failed start began (ms since epoch). A start that was already in progress at the last failure is not
   * counted, because it probably has the same cause. Missing if the service had been up.
   */
  readonly begunAt?: number;
}

/** Failed starts in a row, per template. In memory only: after a restart, the master may retry immediately. */
export class StartBackoffs {
  readonly #limits: BackoffLimits;
  readonly #startBackoffs = new Map<TemplateId, Setback>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a failure. The first crash of a service that had been up causes no delay: its players have moved to the
   * spare service, so a new spare service is needed immediately. If a service of the template crashes again, the
   * template backs off. If the failed service had been up for more than 60 s, earlier failures no longer count.
   *
   * @param now ms since epoch
   * @returns number of failed attempts in a row, including this one
   */
  count(template: TemplateId, now: number, { ranMs, timedOutMs, begunAt }: FailedAttempt): number {
    const before = this.#startBackoffs.get(template);
    if (before !== undefined && begunAt !== undefined && begunAt <= before.at) return before.attempts;
    const isStable = ranMs !== null && ranMs > STABLE_MS;
    const attempts = 1 + (isStable ? 0 : (before?.attempts ?? 0));
    const isFirstCrash = ranMs !== null && attempts === 1;
    const retryAt = isFirstCrash ? now : now + backoffMs(attempts, this.#limits, timedOutMs);
    // The next start may run for the same time before it times out.
    const until = retryAt + FORGOTTEN_AFTER_MS + timedOutMs;
    this.#startBackoffs.set(template, { attempts, at: now, retryAt, until });
    return attempts;
  }

  /**
   * Counts a normal exit that was not requested. It counts as a failure only if the service had never been up, or had
   * been up for at most 60 s. Without this rule, services of the template could start and exit in an endless loop.
   *
   * @param now ms since epoch
   * @param ranMs time for which the service was up (ms); null if it never was
   */
  countEnd(template: TemplateId, now: number, ranMs: number | null): void {
    if (ranMs === null || ranMs <= STABLE_MS) this.count(template, now, { ranMs, timedOutMs: 0 });
  }

  /**
   * Removes failures whose back-off expired more than 10 min ago (longer after starts that timed out). Also removes
   * failures that lie in the future because the clock was set back.
   *
   * @param now ms since epoch
   */
  tidy(now: number): void {
    for (const [template, { at, until }] of this.#startBackoffs) {
      if (now < at || now > until) this.#startBackoffs.delete(template);
    }
  }

  /**
   * Returns the time before which services of a template do not start (ms since epoch; may be in the past). Null if
   * there are no failures.
   */
  retryAt(template: TemplateId): number | null {
    return this.#startBackoffs.get(template)?.retryAt ?? null;
  }

  /**
   * Clears the failures of a template. Called when a person has changed the template or starts a service of it, because
   * it may work now.
   */
  forgive(template: TemplateId): void {
    this.#startBackoffs.delete(template);
  }
}
