import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Throttle } from '#shared/node/throttle.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('Throttle (limits how often a function runs)', () => {
  it('runs at once, and then at most ten times per second', () => {
    let runs = 0;
    let state = 0;
    let seen = 0;
    const throttle = new Throttle(
      () => 100,
      () => {
        runs += 1;
        seen = state;
      },
    );
    for (state = 1; state <= 200; state++) {
      throttle.call();
      vi.advanceTimersByTime(5);
    }
    state -= 1;
    vi.advanceTimersByTime(200);
    expect(runs).toBeGreaterThanOrEqual(10);
    expect(runs).toBeLessThanOrEqual(12);
    expect(seen).toBe(200);
  });

  it('does not run any more after it is closed', () => {
    let runs = 0;
    const throttle = new Throttle(
      () => 100,
      () => (runs += 1),
    );
    throttle.call();
    throttle.close();
    vi.advanceTimersByTime(1_000);
    expect(runs).toBe(0);
  });
});
