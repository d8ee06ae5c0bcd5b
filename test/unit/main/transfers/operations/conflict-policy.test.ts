import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeFile, type FilePolicy } from '#main/transfers/operations/conflict-policy.ts';

const source = { bytes: 10, modifiedAt: 5_000 };
const first = (policy: FilePolicy) => ({ policy, again: false });
const again = (policy: FilePolicy) => ({ policy, again: true });
const policies = ['refuse', 'overwrite', 'newer', 'skip', 'resume'] as const;

describe('judgeFile (decides whether a transfer copies a file)', () => {
  it.each([
    ['copies a missing file', undefined, first('skip'), 'copy'],
    [
      'with the policy "overwrite", overwrites even a file that looks the same',
      { bytes: 10, modifiedAt: 5_000 },
      first('overwrite'),
      'copy',
    ],
    ['with the policy "skip", skips any existing file', { bytes: 1, modifiedAt: 0 }, first('skip'), 'skip'],
    [
      'with the policy "newer", replaces an older file',
      { bytes: 10, modifiedAt: 3_999 },
      first('newer'),
      'copy',
    ],
    ['with the policy "newer", keeps a newer file', { bytes: 10, modifiedAt: 6_000 }, first('newer'), 'skip'],
    [
      'with the policy "newer", keeps a file that was modified in the same second',
      { bytes: 99, modifiedAt: 5_999 },
      first('newer'),
      'skip',
    ],
    [
      'treats a file that an earlier attempt copied completely as transferred',
      { bytes: 10, modifiedAt: 5_999 },
      again('overwrite'),
      'arrived',
    ],
    [
      'copies a file again if an earlier attempt copied only a part of it',
      { bytes: 9, modifiedAt: 5_000 },
      again('overwrite'),
      'copy',
    ],
    [
      'treats a file from its own earlier attempt as transferred, even with the policy "skip"',
      { bytes: 10, modifiedAt: 5_000 },
      again('skip'),
      'arrived',
    ],
    [
      'treats an equal file as transferred when it resumes a folder',
      { bytes: 10, modifiedAt: 5_000 },
      first('resume'),
      'arrived',
    ],
    [
      'overwrites a different file when it resumes a folder',
      { bytes: 10, modifiedAt: 9_000 },
      first('resume'),
      'copy',
    ],
  ] as const)('%s', (...[, existing, how, want]) => {
    expect(judgeFile(source, existing, how)).toBe(want);
  });

  it('lets the policy "newer" replace no newer file, and the policy "skip" no file at all', () => {
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
