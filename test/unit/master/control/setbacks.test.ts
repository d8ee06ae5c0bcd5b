import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, DEFAULT_BACKOFF } from '#master/core/backoff.ts';
import { Setbacks } from '#master/control/setbacks.ts';

describe('failed starts of a template', () => {
  it('are tried again after 5 s, 10 s, 20 s … at most 5 min', () => {
    expect([1, 2, 3, 7, 8, 1_000].map((n) => backoffMs(n, DEFAULT_BACKOFF) / 1000)).toEqual([
      5, 10, 20, 300, 300, 300,
    ]);
  });

  it('never wait less than the time before, nor longer than the longest', () => {
    fc.assert(
      fc.property(fc.nat(10_000), (n) => {
        const [now, next] = [backoffMs(n + 1, DEFAULT_BACKOFF), backoffMs(n + 2, DEFAULT_BACKOFF)];
        return now <= next && next <= DEFAULT_BACKOFF.maxMs;
      }),
    );
  });

  it('count anew after a service that ran well, and are forgotten when the template changes', () => {
    const setbacks = new Setbacks(DEFAULT_BACKOFF);
    expect(setbacks.count('t', 0, 0)).toBe(1);
    expect(setbacks.count('t', 0, 59_000)).toBe(2);
    expect(setbacks.retryAt('t')).toBe(10_000);
    expect(setbacks.count('t', 0, 61_000)).toBe(1);
    setbacks.forgive('t');
    expect(setbacks.retryAt('t')).toBeNull();
  });
});
