import { describe, expect, it } from 'vitest';
import { namesOfSaves, saveByName } from '#master/admin/file-views/save-names.ts';
import type { Save } from '#shared/model/volume.ts';

const AT = Date.UTC(2026, 10, 28, 2, 52, 24);

function saveAt(at: number, save: string): Save {
  return { save, at, files: 1, bytes: 1, consistent: true, cause: 'a test', node: null, current: false };
}

describe('the names under which SFTP shows saves', () => {
  it('are the times at which the saves were made', () => {
    const save = saveAt(AT, '3f9c1a2b4d5e6f70');
    expect([...namesOfSaves([save])]).toEqual([['2026-11-28_02.52.24', save]]);
    expect(saveByName([save], '2026-11-28_02.52.24')).toBe(save);
    expect(saveByName([save], '2026-11-28_02.52.25')).toBeUndefined();
  });

  it('differ for saves of the same second, and do not change when one of these saves is removed', () => {
    const [newer, older] = [saveAt(AT + 900, 'aaaaaa0000000000'), saveAt(AT, 'bbbbbb0000000000')];
    const both = [newer, older];
    expect([...namesOfSaves(both)]).toEqual([
      ['2026-11-28_02.52.24-aaaaaa', newer],
      ['2026-11-28_02.52.24-bbbbbb', older],
    ]);
    for (const [name, save] of namesOfSaves(both)) expect(saveByName(both, name)).toBe(save);
    expect(saveByName([older], '2026-11-28_02.52.24-bbbbbb')).toBe(older);
    expect(saveByName(both, '2026-11-28_02.52.24')).toBe(newer);
  });
});
