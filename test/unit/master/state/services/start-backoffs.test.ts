import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';

describe('the failed start of a template', () => {
  it('is followed by another start after 5 s, 10 s, 20 s and so on, up to 5 min', () => {
    expect([1, 2, 3, 7, 8, 1_000].map((n) => backoffMs(n, DEFAULT_BACKOFF) / 1000)).toEqual([
      5, 10, 20, 300, 300, 300,
    ]);
  });

  it('is followed by delays that never become shorter or exceed the maximum', () => {
    fc.assert(
      fc.property(fc.nat(10_000), (n) => {
        const [now, next] = [backoffMs(n + 1, DEFAULT_BACKOFF), backoffMs(n + 2, DEFAULT_BACKOFF)];
        return now <= next && next <= DEFAULT_BACKOFF.maxMs;
      }),
    );
  });

  it('is not counted if it was already in progress when another one failed for the same cause', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    const fail = (begunAt: number, now: number) =>
      startBackoffs.count('t', now, { ranMs: null, timedOutMs: 0, begunAt });
    for (let service = 0; service < 8; service += 1) expect(fail(1_000, 2_000 + service)).toBe(1);
    expect(startBackoffs.retryAt('t')).toBe(7_000);
    expect(fail(7_000, 8_000)).toBe(2);
  });

  it('counts as the first failure if the service ran for more than a minute before it failed', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    expect(startBackoffs.count('t', 0, { ranMs: null, timedOutMs: 0 })).toBe(1);
    expect(startBackoffs.count('t', 0, { ranMs: 59_000, timedOutMs: 0 })).toBe(2);
    expect(startBackoffs.retryAt('t')).toBe(10_000);
    expect(startBackoffs.count('t', 0, { ranMs: 61_000, timedOutMs: 0 })).toBe(1);
    startBackoffs.forgive('t');
    expect(startBackoffs.retryAt('t')).toBeNull();
  });

  it('is followed at once by another start if the service ran for over a minute, but the next failure causes a delay', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    startBackoffs.count('t', 1_000, { ranMs: 61_000, timedOutMs: 0 });
    expect(startBackoffs.retryAt('t')).toBe(1_000);
    expect(startBackoffs.count('t', 2_000, { ranMs: null, timedOutMs: 0 })).toBe(2);
    expect(startBackoffs.retryAt('t')).toBe(12_000);
  });

  it('is followed at once by another start if a service crashes for the first time after it was up', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    startBackoffs.count('t', 1_000, { ranMs: 0, timedOutMs: 0 });
    expect(startBackoffs.retryAt('t')).toBe(1_000);
    startBackoffs.count('t', 2_000, { ranMs: 500, timedOutMs: 0 });
    expect(startBackoffs.retryAt('t')).toBe(12_000);
  });

  it('is followed by a delay if the service was never up', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    startBackoffs.count('t', 1_000, { ranMs: null, timedOutMs: 0 });
    expect(startBackoffs.retryAt('t')).toBe(6_000);
  });

  it('is followed by at most 4 starts in a minute and 20 starts in ten minutes', () => {
    const ran = fc.oneof(
      fc.constant(null),
      fc.nat(2_000),
      fc.integer({ min: 58_000, max: 62_000 }),
      fc.nat(700_000),
    );
    const property = fc.property(fc.array(ran, { minLength: 1, maxLength: 60 }), (runs) => {
      const starts = startsOf(runs);
      for (const at of starts) {
        const within = (ms: number) => starts.filter((other) => other >= at && other < at + ms).length;
        expect(within(60_000)).toBeLessThanOrEqual(4);
        expect(within(600_000)).toBeLessThanOrEqual(20);
      }
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('can be an exit with code 0 directly after the start', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    startBackoffs.countEnd('t', 0, 300_000);
    expect(startBackoffs.retryAt('t')).toBeNull();
    startBackoffs.countEnd('t', 0, 1_000);
    expect(startBackoffs.retryAt('t')).toBe(0);
    startBackoffs.countEnd('t', 5_000, 1_000);
    expect(startBackoffs.retryAt('t')).toBe(15_000);
  });

  it('is forgotten after a long time without another failure', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    for (let n = 0; n < 8; n++) startBackoffs.count('t', 0, { ranMs: null, timedOutMs: 0 });
    startBackoffs.tidy(900_000);
    expect(startBackoffs.retryAt('t')).toBe(300_000);
    startBackoffs.tidy(900_001);
    expect(startBackoffs.count('t', 900_001, { ranMs: null, timedOutMs: 0 })).toBe(1);
  });

  it('if it timed out, is followed by a delay that begins at the length of the timeout and doubles with each failure up to an hour', () => {
    const waits = [1, 2, 3, 4, 5, 1_000].map((n) => backoffMs(n, DEFAULT_BACKOFF, 300_000) / 60_000);
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it('counts as another failure in a row, even if each start takes half an hour', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    const slow = { ranMs: null, timedOutMs: 1_800_000 };
    startBackoffs.count('t', 0, slow);
    startBackoffs.tidy(3_600_000);
    expect(startBackoffs.count('t', 3_600_000, slow)).toBe(2);
  });

  it('is followed at once by another start if the clock was set back', () => {
    const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
    startBackoffs.count('t', 86_400_000, { ranMs: null, timedOutMs: 0 });
    startBackoffs.tidy(1_000);
    expect(startBackoffs.retryAt('t')).toBeNull();
  });
});

/**
 * Returns the start times (ms) of the only service of a template. The service starts each time as soon as the
 * back-off allows it.
 *
 * @param runs how long the service runs after each start (ms); null if the service never comes up
 */
function startsOf(runs: readonly (number | null)[]): number[] {
  const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
  let now = 0;
  return runs.map((ranMs) => {
    startBackoffs.tidy(now);
    const startedAt = Math.max(now, startBackoffs.retryAt('t') ?? now);
    now = startedAt + (ranMs ?? 0);
    startBackoffs.tidy(now);
    startBackoffs.count('t', now, { ranMs, timedOutMs: 0 });
    return startedAt;
  });
}
