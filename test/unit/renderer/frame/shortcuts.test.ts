import { describe, expect, it } from 'vitest';
import { screens } from '#shared/ipc/screens.ts';
import { cheatSheet, shortcutGroups, understand, type Press } from '#renderer/frame/shortcuts.ts';

const press = (key: string, rest: Partial<Press> = {}): Press => ({
  ...{ key, ctrl: false, shift: false, alt: false, typing: false, covered: false },
  ...rest,
});

describe('shortcuts', () => {
  it.each<[string, Press, unknown]>([
    ['Ctrl K opens the palette', press('k', { ctrl: true }), 'palette'],
    ['also from within a text', press('k', { ctrl: true, typing: true }), 'palette'],
    ['but not over a dialog', press('k', { ctrl: true, covered: true }), null],
    ['a slash leads to the filter', press('/'), 'filter'],
    ['whichever key it is on', press('/', { shift: true }), 'filter'],
    ['but is a letter in a text', press('/', { typing: true }), null],
    ['a question mark shows the sheet', press('?', { shift: true }), 'cheat sheet'],
    ['F5 fetches again, also from a text', press('F5', { typing: true }), 'refresh'],
    ['Ctrl and a number lead to a screen', press('3', { ctrl: true }), { go: 'players' }],
    ['Ctrl Shift and a letter', press('M', { ctrl: true, shift: true }), 'switch master'],
    ['Ctrl A stays select all', press('a', { ctrl: true, typing: true }), null],
    ['Alt and an arrow go back', press('ArrowLeft', { alt: true }), 'back'],
    ['but move by words in a text', press('ArrowLeft', { alt: true, typing: true }), null],
    ['help reaches through a dialog', press('?', { covered: true }), 'cheat sheet'],
    ['but a question mark is a letter in a text', press('?', { typing: true }), null],
    ['where F1 helps', press('F1', { typing: true, covered: true }), 'cheat sheet'],
    ['nothing else reaches through a dialog', press('/', { covered: true }), null],
    ['F6 goes to the next pane', press('F6', { typing: true }), 'next pane'],
    ['and with Shift back', press('F6', { shift: true }), 'previous pane'],
    ['a letter alone does nothing', press('s'), null],
  ])('%s', (_sentence, given, want) => expect(understand(given, false).command).toEqual(want));

  it('open a screen with G and a letter', () => {
    expect(understand(press('g'), false)).toEqual({ command: null, pending: true });
    for (const { letter, id } of screens) {
      expect(understand(press(letter), true)).toEqual({ command: { go: id }, pending: false });
    }
    expect(understand(press('x'), true)).toEqual({ command: null, pending: false });
    expect(understand(press('g', { typing: true }), false).pending).toBe(false);
  });

  it('have no duplicate keys', () => {
    const all = shortcutGroups.flatMap(({ shortcuts }) => shortcuts.map(({ keys }) => keys));
    expect(new Set(all).size).toBe(all.length);
  });

  it('are all listed on the cheat sheet', () => {
    const shown = cheatSheet.flatMap(({ keys }) => keys.flatMap(([written]) => written.split(' or ')));
    for (const { shortcuts } of shortcutGroups)
      for (const { keys } of shortcuts) expect(shown).toContain(keys);
  });
});
