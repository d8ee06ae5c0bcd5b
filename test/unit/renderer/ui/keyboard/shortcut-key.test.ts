import { describe, expect, it } from 'vitest';
import { readFileKey } from '#renderer/screens/files/file-keys.ts';
import { readTableKey } from '#renderer/ui/table/table-keys.ts';
import { isCtrl, shortcutKey } from '#renderer/ui/keyboard/shortcut-key.ts';

const press = (
  key: string,
  code: string,
  rest: { readonly shiftKey?: boolean; readonly ctrlKey?: boolean } = {},
) => ({
  ...{ key, code, ctrlKey: true, metaKey: false, altKey: false, shiftKey: false },
  ...rest,
});

describe('a shortcut with a letter', () => {
  it.each([
    ['is found by the position of the key on a Russian layout', { key: 'ы', code: 'KeyS' }, 's'],
    ['is found by the position of the key on a Greek layout', { key: 'σ', code: 'KeyS' }, 's'],
    ['is found by the letter on a French layout', { key: 'a', code: 'KeyQ' }, 'a'],
    ['is not found on the key of a German umlaut', { key: 'ö', code: 'Semicolon' }, 'ö'],
    ['is not found on the key of another Latin letter', { key: 'é', code: 'KeyW' }, 'é'],
    ['does not change keys without letters', { key: 'ArrowLeft', code: 'ArrowLeft' }, 'ArrowLeft'],
  ])('%s', (_sentence, pressed, want) => expect(shortcutKey(pressed)).toBe(want));

  it('works with Caps Lock, and only with Ctrl or Command and no other modifier', () => {
    expect(isCtrl(press('S', 'KeyS'), 's')).toBe(true);
    expect(isCtrl({ ...press('s', 'KeyS', { ctrlKey: false }), metaKey: true }, 's')).toBe(true);
    expect(isCtrl(press('s', 'KeyS', { ctrlKey: false }), 's')).toBe(false);
    expect(isCtrl(press('S', 'KeyS', { shiftKey: true }), 's')).toBe(false);
    expect(isCtrl({ ...press('s', 'KeyS'), altKey: true }, 's')).toBe(false);
  });

  it('works in tables and lists of files on a Russian layout', () => {
    expect(readTableKey(press('ф', 'KeyA'), { active: -1, count: 2, page: 1 })).toEqual({
      kind: 'select-all',
    });
    expect(readFileKey(press('с', 'KeyC'))).toBe('copy');
    expect(readFileKey(press('С', 'KeyC', { shiftKey: true }))).toBe('copy path');
  });
});
