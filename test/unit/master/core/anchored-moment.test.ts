import { describe, expect, it } from 'vitest';
import { anchorMoment } from '#master/core/volumes/attachment.ts';

describe('anchorMoment (converts a wall-clock time to the monotonic clock)', () => {
  it('returns a time of the same age', () => {
    expect(anchorMoment(undefined, 1_000_000, { now: 1_360_000, clock: 500_000 })).toEqual({
      at: 1_000_000,
      clock: 140_000,
    });
  });

  it('returns the current time if the given time is later than the wall clock', () => {
    expect(anchorMoment(undefined, 1_000_000, { now: 400_000, clock: 500_000 }).clock).toBe(500_000);
  });

  it.each([-86_400_000, 86_400_000])(
    'returns the same result after the wall clock was changed by %d ms',
    (jump) => {
      const first = anchorMoment(undefined, 1_000_000, { now: 1_000_500, clock: 500 });
      expect(anchorMoment(first, 1_000_000, { now: 1_001_000 + jump, clock: 1_000 })).toEqual(first);
    },
  );
});
