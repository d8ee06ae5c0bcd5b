import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { expired, requireShortPaths } from '#master/volumes/save-rules.ts';

const RETENTION = { last: 2, daily: 0, weekly: 0 };

/** Returns saves in the order in which they were made. */
function madeInOrder(...ids: readonly string[]) {
  return ids.map((revision, index) => ({ revision, storedAt: 1_000 + index, files: 1, bytes: 1 }));
}

function facts({ used = [], aside = [] }: { used?: readonly string[]; aside?: readonly string[] }) {
  return {
    isUsed: (save: string) => used.includes(save),
    isAside: (save: string) => aside.includes(save),
    atOf: () => undefined,
  };
}

describe('expired (decides which saves are deleted)', () => {
  it('returns saves that the retention rules do not keep, except saves that are in use', () => {
    const saves = madeInOrder('a', 'b', 'c', 'd');
    expect(expired(saves, RETENTION, facts({}))).toEqual(['b', 'a']);
    expect(expired(saves, RETENTION, facts({ used: ['a'] }))).toEqual(['b']);
  });

  it('does not count separate saves towards the number of saves to keep', () => {
    const separate = ['s1', 's2', 's3', 's4', 's5'];
    const saves = madeInOrder('a', 'b', ...separate, 'c');
    const known = facts({ used: separate, aside: separate });
    expect(expired(saves, { ...RETENTION, daily: 1, weekly: 1 }, known)).toEqual(['a']);
  });

  it('returns a separate save that is no longer in use, even if there are few saves', () => {
    const saves = madeInOrder('s1', 's2', 'a');
    expect(expired(saves, RETENTION, facts({ used: ['s2'], aside: ['s1', 's2'] }))).toEqual(['s1']);
  });

  it('returns nothing if all saves are separate saves', () => {
    expect(expired(madeInOrder('s1', 's2', 's3'), RETENTION, facts({ aside: ['s1', 's2', 's3'] }))).toEqual(
      [],
    );
  });
});

describe('the path of a file in a save', () => {
  const check = (path: string) => () => {
    requireShortPaths(
      [{ path: 'world/level.dat' }, { path }],
      (why) => new OverworldError('IMPORT_UNUSABLE', { volume: 'survival/1', why }),
    );
  };

  it('has at most 3,072 bytes', () => {
    expect(check('a'.repeat(3_072))).not.toThrow();
    expect(check('ü'.repeat(1_536))).not.toThrow();
    expect(check(`${'ü'.repeat(1_536)}a`)).toThrow('more than 3072 bytes; shorten it');
  });

  it('is shortened to its beginning in messages if it is too long', () => {
    expect(check('a'.repeat(3_073))).toThrow(`begins with ${'a'.repeat(100)} has`);
  });
});
