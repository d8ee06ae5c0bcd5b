import { describe, expect, it } from 'vitest';
import { TokenBucket } from '#shared/node/token-bucket.ts';

describe('a token bucket for ten tokens, with two new tokens per second,', () => {
  const bucket = (): TokenBucket => new TokenBucket({ burst: 10, perSecond: 2, now: 0 });

  it('allows ten operations at once, and then two per second', () => {
    const rate = bucket();
    expect(Array.from({ length: 10 }, () => rate.take(1, 0)).every((wait) => wait === 0)).toBe(true);
    expect(rate.take(1, 0)).toBe(500);
    expect(rate.take(1, 500)).toBe(0);
    expect(rate.take(1, 500)).toBe(500);
  });

  it('allows one operation that costs more than ten tokens, and then makes the next operation wait', () => {
    const rate = bucket();
    expect(rate.take(14, 0)).toBe(0);
    expect(rate.take(1, 0)).toBe(2_500);
    expect(rate.take(1, 2_500)).toBe(0);
  });

  it('never contains more than ten tokens', () => {
    const rate = bucket();
    expect(rate.take(10, 1_000_000)).toBe(0);
    expect(rate.take(1, 0)).toBe(500);
  });

  it('can have a deficit, and returns the time until the deficit is gone', () => {
    const rate = bucket();
    expect(rate.spend(10, 0)).toBe(0);
    expect(rate.spend(4, 0)).toBe(2_000);
    expect(rate.spend(2, 1_000)).toBe(2_000);
    expect(rate.spend(0, 3_000)).toBe(0);
  });
});
