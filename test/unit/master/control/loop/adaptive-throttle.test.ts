import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdaptiveThrottle } from '#master/control/loop/adaptive-throttle.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('AdaptiveThrottle (limits how often work runs)', () => {
  it('runs the first call at once, and then runs at most ten times per second', () => {
    let rounds = 0;
    const throttle = new AdaptiveThrottle(() => (rounds += 1));
    throttle.call();
    vi.advanceTimersByTime(0);
    expect(rounds).toBe(1);
    for (let ms = 0; ms < 1_000; ms++) {
      throttle.call();
      vi.advanceTimersByTime(1);
    }
    expect(rounds).toBe(11);
  });

  it('waits longer between runs if a run takes longer, but never more than one second', () => {
    let rounds = 0;
    const throttle = new AdaptiveThrottle(() => (rounds += 1));
    const inTenSeconds = (costMs: number): number => {
      throttle.recordDuration(costMs);
      rounds = 0;
      for (let ms = 0; ms < 10_000; ms += 10) {
        throttle.call();
        vi.advanceTimersByTime(10);
      }
      return rounds;
    };
    expect(Math.abs(inTenSeconds(50) - 20)).toBeLessThanOrEqual(1);
    expect(Math.abs(inTenSeconds(2_000) - 10)).toBeLessThanOrEqual(1);
  });

  it('runs nothing after it is closed', () => {
    let rounds = 0;
    const throttle = new AdaptiveThrottle(() => (rounds += 1));
    throttle.call();
    throttle.close();
    vi.advanceTimersByTime(5_000);
    expect(rounds).toBe(0);
  });
});
