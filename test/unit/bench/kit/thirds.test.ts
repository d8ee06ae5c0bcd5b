import { describe, expect, it } from 'vitest';
import { thirds } from '#test/bench/kit/soak/thirds.ts';

describe("thirds (first and last third of a long run's samples)", () => {
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

  it('rejects fewer than three values', () => {
    expect(() => thirds([1, 2])).toThrow('2 samples');
  });
});
