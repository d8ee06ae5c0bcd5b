import { describe, expect, it } from 'vitest';
import { chooseSaves, type DueSave } from '#master/core/volumes/choose-saves.ts';

const CLOCK = 10_000_000;
const MINUTE = 60_000;

const due = (node: string, triedAt: number | null, dueAt = 0): DueSave => ({ node, triedAt, dueAt });

describe('chooseSaves (chooses the volumes whose regular saves begin)', () => {
  it('returns volumes without an attempt first, and then the volumes whose last attempt is oldest', () => {
    const [a, b, c] = [due('a', 3_000), due('b', 2_000), due('c', null)];
    expect(chooseSaves([a, b, c], [], CLOCK)).toEqual([c, b]);
  });

  it('returns the volumes that have been due longest if no volume was tried yet', () => {
    const [a, b, c] = [due('a', null, 3_000), due('b', null, 2_000), due('c', null, 1_000)];
    expect(chooseSaves([a, b, c], [], CLOCK)).toEqual([c, b]);
  });

  it('lets at most two saves run at a time', () => {
    const saves = [due('a', null), due('b', null), due('c', null)];
    const one = { node: 'x', begunAt: CLOCK - MINUTE };
    expect(chooseSaves(saves, [], CLOCK)).toHaveLength(2);
    expect(chooseSaves(saves, [one], CLOCK)).toHaveLength(1);
    expect(chooseSaves(saves, [one, { ...one, node: 'y' }], CLOCK)).toEqual([]);
  });

  it('lets at most one save run at a time on each node', () => {
    const [a, again, b] = [due('a', 1_000), due('a', 2_000), due('b', 3_000)];
    expect(chooseSaves([a, again, b], [], CLOCK)).toEqual([a, b]);
    expect(chooseSaves([a, again, b], [{ node: 'a', begunAt: CLOCK }], CLOCK)).toEqual([b]);
  });

  it('does not wait for saves that have taken 10 min, except on the same node', () => {
    const slow = ['x', 'y', 'z'].map((node) => ({ node, begunAt: CLOCK - 10 * MINUTE }));
    const [a, x] = [due('a', null), due('x', null)];
    expect(chooseSaves([x, a], slow, CLOCK)).toEqual([a]);
  });
});
