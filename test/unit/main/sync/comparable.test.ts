import { describe, expect, it } from 'vitest';
import { keepComparable, type WalkedSide } from '#main/sync/comparable.ts';

const side = (files: readonly string[], others: readonly string[] = []): WalkedSide => ({
  files: new Map(files.map((path) => [path, { bytes: 1, modifiedAt: 0, hash: null }])),
  others,
});

function kept(here: WalkedSide, there: WalkedSide, foldsCase = false): [string[], string[]] {
  keepComparable(here, there, foldsCase);
  return [[...here.files.keys()], [...there.files.keys()]];
}

describe('keepComparable (selects the files that a synchronisation can compare)', () => {
  it('excludes a file if its path on the other side is a link or contains a link', () => {
    const here = side(['a', 'b/c/d', 'bc', 'e'], ['x']);
    const there = side(['x/y/z', 'xy', 'e'], ['a', 'b']);
    expect(kept(here, there)).toEqual([
      ['bc', 'e'],
      ['xy', 'e'],
    ]);
  });

  it('excludes files that differ only in upper and lower case if the local disk ignores case', () => {
    const sides = (): [WalkedSide, WalkedSide] => [side(['Foo', 'bar', 'Q/1']), side(['foo', 'bar', 'q/1'])];
    expect(kept(...sides())).toEqual([
      ['Foo', 'bar', 'Q/1'],
      ['foo', 'bar', 'q/1'],
    ]);
    expect(kept(...sides(), true)).toEqual([['bar'], ['bar']]);
    expect(kept(side(['LINK/a']), side([], ['link']), true)).toEqual([[], []]);
  });
});
