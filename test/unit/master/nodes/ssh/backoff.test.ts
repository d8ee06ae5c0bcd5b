import { describe, expect, it } from 'vitest';
import { delayAfter } from '#master/nodes/ssh/backoff.ts';

describe('delayAfter (delay before the next attempt to connect by SSH)', () => {
  it.each([
    { failures: 0, random: 0, want: 250 },
    { failures: 0, random: 0.999, want: 500 },
    { failures: 2, random: 0.5, want: 1_500 },
    { failures: 4, random: 0.999, want: 5_000 },
    { failures: 2_000, random: 0, want: 2_500 },
  ])(
    'returns $want ms after $failures failures with the random number $random',
    ({ failures, random, want }) => {
      expect(Math.round(delayAfter(failures, 5_000, random) / 10) * 10).toBe(want);
    },
  );
});
