import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeFile, type FilePolicy } from '#main/transfers/operations/file-choice.ts';

const source = { bytes: 10, modifiedAt: 5_000 };
const first = (policy: FilePolicy) => ({ policy, again: false });
const again = (policy: FilePolicy) => ({ policy, again: true });
const policies = ['refuse', 'overwrite', 'newer', 'skip', 'resume'] as const;

describe('judgeFile', () => {
  it.each([
    ['copies one that is not there', undefined, first('skip'), 'copy'],
    ['overwrites even what looks the same', { bytes: 10, modifiedAt: 5_000 }, first('overwrite'), 'copy'],
    ['skips whatever is there', { bytes: 1, modifiedAt: 0 }, first('skip'), 'skip'],
    ['replaces an older one', { bytes: 10, modifiedAt: 3_999 }, first('newer'), 'copy'],
    ['leaves a newer one', { bytes: 10, modifiedAt: 6_000 }, first('newer'), 'skip'],
    ['leaves one of the same second', { bytes: 99, modifiedAt: 5_999 }, first('newer'), 'skip'],
    [
      'counts what an earlier try has brought',
      { bytes: 10, modifiedAt: 5_999 },
      again('overwrite'),
      'arrived',
    ],
    [
      'copies again what the earlier try has not brought',
      { bytes: 9, modifiedAt: 5_000 },
      again('overwrite'),
      'copy',
    ],
    [
      'counts its own even where it would skip others',
      { bytes: 10, modifiedAt: 5_000 },
      again('skip'),
      'arrived',
    ],
    [
      'goes on with a folder of an earlier queue',
      { bytes: 10, modifiedAt: 5_000 },
      first('resume'),
      'arrived',
    ],
    ['is overwrite where nothing was begun', { bytes: 10, modifiedAt: 9_000 }, first('resume'), 'copy'],
  ] as const)('%s', (...[, existing, how, want]) => {
    expect(judgeFile(source, existing, how)).toBe(want);
  });

  it('never replaces a newer file under "newer" or any file under "skip", and always copies a missing one', () => {
    const side = fc.record({ bytes: fc.nat(3), modifiedAt: fc.nat(10_000) });
    fc.assert(
      fc.property(side, fc.option(side), fc.boolean(), (file, existing, isAgain) => {
        for (const policy of policies) {
          const verdict = judgeFile(file, existing ?? undefined, { policy, again: isAgain });
          if (existing === null) expect(verdict).toBe('copy');
          else if (policy === 'skip') expect(verdict).not.toBe('copy');
          else if (policy === 'newer' && existing.modifiedAt >= file.modifiedAt)
            expect(verdict).not.toBe('copy');
          if (verdict === 'arrived') expect(existing?.bytes).toBe(file.bytes);
        }
      }),
    );
  });
});
