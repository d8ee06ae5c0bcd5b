import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponentialDelayMs, withJitter } from '#shared/backoff.ts';

const failures = fc.integer({ min: 0, max: 1_000 });
const firstMs = fc.integer({ min: 1, max: 10_000 });
const maxMs = fc.integer({ min: 10_000, max: 3_600_000 });

describe('exponentialDelayMs (delay that grows with each failure)', () => {
  it('doubles with each failure up to a maximum', () => {
    const delays = [0, 1, 2, 3, 4, 5].map((count) =>
      exponentialDelayMs(count, { firstMs: 500, maxMs: 5_000 }),
    );
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('never becomes shorter, and is between the first delay and the maximum', () => {
    fc.assert(
      fc.property(failures, firstMs, maxMs, (count, first, max) => {
        const delay = exponentialDelayMs(count, { firstMs: first, maxMs: max });
        expect(delay).toBeGreaterThanOrEqual(first);
        expect(delay).toBeLessThanOrEqual(max);
        expect(exponentialDelayMs(count + 1, { firstMs: first, maxMs: max })).toBeGreaterThanOrEqual(delay);
      }),
    );
  });
});

describe('withJitter (shortens a delay at random)', () => {
  it('returns between half of the delay and the whole delay', () => {
    expect([0, 0.5, 1].map((random) => withJitter(8_000, random))).toEqual([4_000, 6_000, 8_000]);
  });
});
