import { describe, expect, it } from 'vitest';
import { TokenBucket } from '#shared/node/token-bucket.ts';

describe('token bucket for 10 items, refilled with 2 per second', () => {
  const bucket = (): TokenBucket => new TokenBucket({ burst: 10, perSecond: 2, now: 0 });

  it('allows ten items at once, then two per second', () => {
    const rate = bucket();
    expect(Array.from({ length: 10 }, () => rate.take(1, 0)).every((wait) => wait === 0)).toBe(true);
    expect(rate.take(1, 0)).toBe(500);
    expect(rate.take(1, 500)).toBe(0);
    expect(rate.take(1, 500)).toBe(500);
  });

  it('allows one expensive item, after which the next must wait', () => {
    const rate = bucket();
    expect(rate.take(14, 0)).toBe(0);
    expect(rate.take(1, 0)).toBe(2_500);
    expect(rate.take(1, 2_500)).toBe(0);
  });

  it('is never filled with more than ten tokens', () => {
    const rate = bucket();
    expect(rate.take(10, 1_000_000)).toBe(0);
    expect(rate.take(1, 0)).toBe(500);
  });

  it('allows a deficit, and returns the time until it is refilled', () => {
    const rate = bucket();
    expect(rate.spend(10, 0)).toBe(0);
    expect(rate.spend(4, 0)).toBe(2_000);
    expect(rate.spend(2, 1_000)).toBe(2_000);
    expect(rate.spend(0, 3_000)).toBe(0);
  });
});
