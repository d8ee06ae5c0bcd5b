import { describe, expect, it } from 'vitest';
import { anchorMoment } from '#master/core/volumes/attachment.ts';

describe('a moment on the monotonic clock', () => {
  it('is as far in the past as on the wall clock', () => {
    expect(anchorMoment(undefined, 1_000_000, { now: 1_360_000, clock: 500_000 })).toEqual({
      at: 1_000_000,
      clock: 140_000,
    });
  });

  it('is now if the wall clock was set back since', () => {
    expect(anchorMoment(undefined, 1_000_000, { now: 400_000, clock: 500_000 }).clock).toBe(500_000);
  });

  it.each([-86_400_000, 86_400_000])('stays where it is if the wall clock is set by %d ms', (jump) => {
    const first = anchorMoment(undefined, 1_000_000, { now: 1_000_500, clock: 500 });
    expect(anchorMoment(first, 1_000_000, { now: 1_001_000 + jump, clock: 1_000 })).toEqual(first);
  });
});
