import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delayAfter, RETRY } from '#main/connections/reconnect-delay.ts';

describe('the delay before the next attempt to connect', () => {
  it('doubles with each failure, from 1 s up to 30 s, and is shortened at random by up to half', () => {
    expect(delayAfter(3, 0.5)).toBe(6000);
    expect(delayAfter(0, 0)).toBe(RETRY.firstMs);
    expect(delayAfter(10, 0.999)).toBeCloseTo(RETRY.maxMs, -2);
  });

  it('is between 1 s and 30 s after any number of failures', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (failures, random) => {
        const delay = delayAfter(failures, random);
        expect(delay).toBeGreaterThanOrEqual(RETRY.firstMs);
        expect(delay).toBeLessThanOrEqual(RETRY.maxMs);
      }),
    );
  });
});
