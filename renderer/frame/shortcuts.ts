import { fileKeySheet } from '../screens/files/file-keys.ts';
import { screens, type WindowCommand } from '#shared/ipc/screens.ts';

/** One way by keyboard. `keys`: as shown, keys of a chord joined by a blank; presses one after the other by ` then `. */
export interface Shortcut {
  readonly keys: string;
  readonly does: string;
  readonly command: WindowCommand | { readonly go: string };
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const general: readonly Shortcut[] = [
  { keys: 'Ctrl K', does: 'Search or do something', command: 'palette' },
  { keys: '/', does: 'Filter what is shown', command: 'filter' },
  { keys: '?', does: 'Show these shortcuts', command: 'cheat sheet' },
  { keys: 'F1', does: 'Show these shortcuts, also while typing', command: 'cheat sheet' },
  {
    keys: 'F6',
    does: 'Next pane: title bar, navigation, screen, side panel, messages',
    command: 'next pane',
  },
  { keys: 'Shift F6', does: 'Previous pane', command: 'previous pane' },
  { keys: 'F5', does: 'Fetch everything again', command: 'refresh' },
  { keys: 'Alt ←', does: 'Back to the place before', command: 'back' },
  { keys: 'Alt →', does: 'Forward again', command: 'forward' },
  { keys: 'Ctrl B', does: 'Narrow or widen the navigation', command: 'navigation' },
  { keys: 'Ctrl Shift M', does: 'Switch to another master', command: 'switch master' },
  { keys: 'Ctrl Shift A', does: 'Open running tasks and messages', command: 'activity' },
];

const byDigit: readonly Shortcut[] = screens.map(({ id, label, digit }) => ({
  keys: `Ctrl ${digit}`,
  does: label,
  command: { go: id },
}));

const byLetter: readonly Shortcut[] = screens.map(({ id, label, letter }) => ({
  keys: `G then ${letter.toUpperCase()}`,
  does: label,
  command: { go: id },
}));

/** Keys that pieces of the window understand by themselves, for the cheat sheet and the documentation alone. */
const inPieces: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] =
  [
    {
      title: 'Tables and lists',
      keys: [
        ['↑ ↓', 'Move from row to row'],
        ['Home End', 'First or last row'],
        ['Enter', 'Open the row'],
        ['Space', 'Select the row'],
        ['Shift ↑ ↓', 'Select several'],
        ['Ctrl A', 'Select all'],
        ['← →', 'Fold or unfold a group'],
        ['Shift F10', 'Menu of the row'],
      ],
    },
    {
      title: 'Players',
      keys: [
        ['Enter', 'Show the server of the player'],
        ['Delete', 'Kick who is selected'],
        ['Ctrl C', 'Copy the names of who is selected'],
      ],
    },
    {
      title: 'Dialogs and menus',
      keys: [
        ['Esc', 'Close, or put off'],
        ['Tab', 'Next field or button'],
        ['Enter', 'Do what the main button says'],
      ],
    },
    {
      title: 'Settings',
      keys: [
        ['Ctrl F', 'Find a setting by its name, key or description'],
        ['Enter', 'From the search: go to the first found'],
        ['Esc', 'Show all settings again'],
        ['Ctrl S', 'Save'],
      ],
    },
    {
      title: 'Console',
      keys: [
        ['Enter', 'Send the command'],
        ['↑ ↓', 'Earlier and later commands'],
        ['Tab', 'Complete a command'],
        ['Ctrl F', 'Search'],
        ['F3', 'Hit above; with Shift below'],
        ['Ctrl W', 'Close the tab'],
      ],
    },
  ];

/** All that the frame acts on. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  { title: 'Everywhere', shortcuts: general },
  { title: 'Screens, by letter', shortcuts: byLetter },
  { title: 'Screens, by number', shortcuts: byDigit },
];

/** What the cheat sheet shows: all ways by keyboard, in groups. Two ways to the same are joined by ` or `. */
export const cheatSheet: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}[] = [
  { title: 'Everywhere', keys: general.map(({ keys, does }) => [keys, does]) },
  {
    title: 'Screens',
    keys: byLetter.map(({ keys, does }, at) => [`${keys} or ${byDigit[at]?.keys ?? ''}`, does]),
  },
  ...inPieces,
  { title: 'Files', keys: fileKeySheet },
];

/** The shortcut of a command, for tooltips and menus. */
export function keysOf(command: WindowCommand): string {
  return general.find((shortcut) => shortcut.command === command)?.keys ?? '';
}

/** How long the second key of `G then …` may take, ms. */
export const CHORD_MS = 1500;

/** What a key press is, as far as shortcuts care. */
export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** It goes into a text: keys without Ctrl or Alt are letters there. */
  readonly typing: boolean;
  /** A dialog or menu lies over the screens: their keys are its own. */
  readonly covered: boolean;
}

/** What is meant, and what the next press belongs to. */
export interface Understood {
  readonly command: Shortcut['command'] | null;
  /** `G` was pressed: the next letter names a screen. */
  readonly pending: boolean;
}

const names: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→' };
const nothing: Understood = { command: null, pending: false };

/**
 * Understands one key press. Pure: time and focus come in with it.
 *
 * @param pending `G` was pressed before, not longer than {@link CHORD_MS} ago
 */
export function understand(press: Press, pending: boolean): Understood {
  const { key, ctrl, alt } = press;
  if (!isShortcut(press)) return nothing;
  const name = names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  const plain = !ctrl && !alt;
  if (plain && pending) return { command: find(`G then ${name}`), pending: false };
  if (plain && name === 'G') return { command: null, pending: true };
  return { command: find(chordOf(press, name)), pending: false };
}

/** False where the press belongs to a dialog or to a text: letters there, and the arrows with Alt, which move by words. */
function isShortcut({ key, ctrl, alt, typing, covered }: Press): boolean {
  // Help is never out of reach.
  if (key === 'F1' || (key === '?' && !typing)) return !ctrl && !alt;
  if (covered) return false;
  return !typing || (ctrl && !alt) || (!alt && /^F\d+$/.test(key));
}

/** As the table writes it. `?` and `/` are on a shifted key in many layouts: the sign counts, not the key. */
function chordOf({ ctrl, alt, shift }: Press, name: string): string {
  const parts = [
    ctrl ? 'Ctrl' : '',
    alt ? 'Alt' : '',
    shift && (ctrl || alt || name === 'F6') ? 'Shift' : '',
    name,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function find(keys: string): Shortcut['command'] | null {
  for (const { shortcuts } of shortcutGroups) {
    const found = shortcuts.find((shortcut) => shortcut.keys === keys);
    if (found !== undefined) return found.command;
  }
  return null;
}
