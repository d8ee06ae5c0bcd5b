import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syncRowSchema } from '#shared/ipc/contract.ts';
import { compareSides, type SideFile } from '#main/sync/verdict.ts';

const file = (bytes: number, modifiedAt: number, hash: string | null = null): SideFile => ({
  bytes,
  modifiedAt,
  hash,
});
const one = (local: SideFile | null, remote: SideFile | null) =>
  compareSides(
    new Map(local === null ? [] : [['a', local]]),
    new Map(remote === null ? [] : [['a', remote]]),
  ).map(({ verdict }) => verdict);

describe('compareSides (compares files on this computer with files on the master)', () => {
  it.each([
    ['a file only on this computer', file(1, 0), null, 'local only'],
    ['a file only on the master', null, file(1, 0), 'remote only'],
    ['the same size, two seconds apart', file(1, 0), file(1, 2000), 'same'],
    ['the same size, but later on this computer', file(1, 5000), file(1, 2999), 'local newer'],
    ['the same size, but later on the master', file(1, 0), file(1, 2001), 'remote newer'],
    ['a different size at the same time', file(1, 0), file(2, 1000), 'different'],
    ['a different size, later on the master', file(1, 0), file(2, 9000), 'remote newer'],
    ['the same content at a different time', file(1, 0, 'h'), file(1, 9000, 'h'), 'same'],
    ['different content with the same size and time', file(1, 0, 'h'), file(1, 0, 'i'), 'different'],
    ['different content, later on this computer', file(1, 9000, 'h'), file(1, 0, 'i'), 'local newer'],
    ['a hash on one side only: compared by size and time', file(1, 0, null), file(1, 0, 'i'), 'same'],
  ] as const)('returns the expected result for %s', (...[, local, remote, want]) => {
    expect(one(local, remote)).toEqual([want]);
  });

  const side = fc
    .dictionary(
      fc.constantFrom('a', 'b', 'c/d', 'c/e'),
      fc.record({
        bytes: fc.nat(2),
        modifiedAt: fc.nat(6000),
        hash: fc.constantFrom(null, 'h', 'i'),
      }),
    )
    .map((files) => new Map(Object.entries(files)));

  it('returns each path once, in order, with sizes and times of both sides', () => {
    fc.assert(
      fc.property(side, side, (local, remote) => {
        const rows = compareSides(local, remote).map((row) => syncRowSchema.parse(row));
        expect(rows.map(({ path }) => path)).toEqual(
          [...new Set([...local.keys(), ...remote.keys()])].sort(),
        );
        for (const { path, local: here, remote: there } of rows) {
          expect(here?.bytes).toBe(local.get(path)?.bytes);
          expect(there?.modifiedAt).toBe(remote.get(path)?.modifiedAt);
        }
      }),
    );
  });

  it('returns the opposite result after the sides are swapped', () => {
    const opposite = {
      same: 'same',
      different: 'different',
      'local only': 'remote only',
      'remote only': 'local only',
      'local newer': 'remote newer',
      'remote newer': 'local newer',
    } as const;
    fc.assert(
      fc.property(side, side, (local, remote) => {
        const swapped = compareSides(remote, local).map(({ verdict }) => opposite[verdict]);
        expect(compareSides(local, remote).map(({ verdict }) => verdict)).toEqual(swapped);
      }),
    );
  });
});
