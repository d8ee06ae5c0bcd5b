import { describe, expect, it } from 'vitest';
import { heapGrowthFlag } from '#shared/heap-growth.ts';

const MB = 1024 * 1024;
const percentAt = (usedMb: number): number => Number(heapGrowthFlag(usedMb * MB).split('=')[1]);

describe('the room for growth of the V8 heap', () => {
  it('is 45 MB for a medium heap', () => {
    expect(percentAt(20)).toBe(225);
    expect(percentAt(45)).toBe(100);
  });

  it('is 80 % of a large heap, which V8 would let grow to four times its size', () => {
    expect(percentAt(57)).toBe(80);
    expect(percentAt(500)).toBe(80);
  });

  it('is at most 300 % of a small heap', () => {
    expect(percentAt(15)).toBe(300);
    expect(percentAt(0)).toBe(300);
  });
});
