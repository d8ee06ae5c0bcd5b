import { describe, expect, it } from 'vitest';
import { thirds } from '#test/bench/kit/soak/thirds.ts';

describe('thirds (of the samples of a long run)', () => {
  it.each([
    [
      [1, 2, 3],
      [[1], [3]],
    ],
    [
      [1, 2, 3, 4, 5, 6, 7, 8],
      [
        [1, 2],
        [7, 8],
      ],
    ],
  ])('of %j are %j', (values, want) => {
    expect(thirds(values)).toEqual(want);
  });

  it('rejects less than three values, which leave nothing to compare', () => {
    expect(() => thirds([1, 2])).toThrow('2 samples');
  });
});
