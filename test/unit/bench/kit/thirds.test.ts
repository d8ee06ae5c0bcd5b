import { describe, expect, it } from 'vitest';
import { thirds } from '#test/bench/kit/soak/thirds.ts';

describe('thirds (first and last third of the samples of a long run)', () => {
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
  ])('returns for %j: %j', (values, want) => {
    expect(thirds(values)).toEqual(want);
  });

  it('rejects fewer than three samples', () => {
    expect(() => thirds([1, 2])).toThrow('2 samples');
  });
});
