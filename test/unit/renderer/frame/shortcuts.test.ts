import { describe, expect, it } from 'vitest';
import { screens } from '#shared/ipc/screens.ts';
import { cheatSheet, shortcutGroups, matchShortcut, type Press } from '#renderer/frame/shortcuts.ts';

const press = (key: string, rest: Partial<Press> = {}): Press => ({
  ...{ key, ctrl: false, shift: false, alt: false, typing: false, covered: false },
  ...rest,
});

describe('the keyboard shortcuts', () => {
  it.each<[string, Press, unknown]>([
    ['Ctrl K opens the palette', press('k', { ctrl: true }), 'palette'],
    ['Ctrl K works in a text field, too', press('k', { ctrl: true, typing: true }), 'palette'],
    ['Ctrl K does nothing behind a dialog', press('k', { ctrl: true, covered: true }), null],
    ['a slash focuses the filter', press('/'), 'filter'],
    ['a slash typed with Shift focuses the filter, too', press('/', { shift: true }), 'filter'],
    ['a slash is typed as a character in a text field', press('/', { typing: true }), null],
    ['a question mark shows the cheat sheet', press('?', { shift: true }), 'cheat sheet'],
    ['F5 refreshes, also in a text field', press('F5', { typing: true }), 'refresh'],
    ['Ctrl and a digit open a screen', press('3', { ctrl: true }), { go: 'players' }],
    ['Ctrl Shift M switches the master', press('M', { ctrl: true, shift: true }), 'switch master'],
    ['Ctrl A selects the text in a text field', press('a', { ctrl: true, typing: true }), null],
    ['Alt and the left arrow key go back', press('ArrowLeft', { alt: true }), 'back'],
    ['Alt and an arrow move by words in a text field', press('ArrowLeft', { alt: true, typing: true }), null],
    ['a question mark works in a dialog', press('?', { covered: true }), 'cheat sheet'],
    ['a question mark is typed as a character in a text field', press('?', { typing: true }), null],
    [
      'F1 shows the cheat sheet even in a text field of a dialog',
      press('F1', { typing: true, covered: true }),
      'cheat sheet',
    ],
    ['a slash does nothing behind a dialog', press('/', { covered: true }), null],
    ['F6 focuses the next pane', press('F6', { typing: true }), 'next pane'],
    ['Shift F6 focuses the previous pane', press('F6', { shift: true }), 'previous pane'],
    ['a letter alone does nothing', press('s'), null],
  ])('%s', (_sentence, given, want) => expect(matchShortcut(given, false).command).toEqual(want));

  it('open a screen when the user types G and then a letter', () => {
    expect(matchShortcut(press('g'), false)).toEqual({ command: null, pending: true });
    for (const { letter, id } of screens) {
      expect(matchShortcut(press(letter), true)).toEqual({ command: { go: id }, pending: false });
    }
    expect(matchShortcut(press('x'), true)).toEqual({ command: null, pending: false });
    expect(matchShortcut(press('g', { typing: true }), false).pending).toBe(false);
  });

  it('use no key combination twice', () => {
    const all = shortcutGroups.flatMap(({ shortcuts }) => shortcuts.map(({ keys }) => keys));
    expect(new Set(all).size).toBe(all.length);
  });

  it('are all listed in the help', () => {
    const shown = cheatSheet.flatMap(({ keys }) => keys.flatMap(([written]) => written.split(' or ')));
    for (const { shortcuts } of shortcutGroups)
      for (const { keys } of shortcuts) expect(shown).toContain(keys);
  });
});
