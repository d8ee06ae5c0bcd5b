import { describe, expect, it } from 'vitest';
import { heapFlag } from '#shared/heap.ts';

const MB = 1024 * 1024;
const percentAt = (usedMb: number): number => Number(heapFlag(usedMb * MB).split('=')[1]);

describe('the room that the heap is given', () => {
  it('is 45 MB where the heap is neither small nor large', () => {
    expect(percentAt(20)).toBe(225);
    expect(percentAt(45)).toBe(100);
  });

  it('is four fifths of a large heap, which would take four times its memory otherwise', () => {
    expect(percentAt(57)).toBe(80);
    expect(percentAt(500)).toBe(80);
  });

  it('is three times a small one at most', () => {
    expect(percentAt(15)).toBe(300);
    expect(percentAt(0)).toBe(300);
  });
});
