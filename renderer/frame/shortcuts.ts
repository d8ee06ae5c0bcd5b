import { fileKeySheet } from '../screens/files/file-keys.ts';
import { screens, type WindowCommand } from '#shared/ipc/screens.ts';

/**
 * A keyboard shortcut. `keys` is the displayed text. A space joins keys that are pressed together (`Ctrl K`). The
 * word `then` joins keys that are pressed one after the other (`G then …`).
 */
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
  { keys: 'Ctrl K', does: 'Search or run a command', command: 'palette' },
  { keys: '/', does: 'Filter what is shown', command: 'filter' },
  { keys: '?', does: 'Show these shortcuts', command: 'cheat sheet' },
  { keys: 'F1', does: 'Show these shortcuts, also while typing', command: 'cheat sheet' },
  {
    keys: 'F6',
    does: 'Next pane: title bar, navigation, screen, side panel, messages',
    command: 'next pane',
  },
  { keys: 'Shift F6', does: 'Previous pane', command: 'previous pane' },
  { keys: 'F5', does: 'Refresh everything', command: 'refresh' },
  { keys: 'Alt ←', does: 'Back', command: 'back' },
  { keys: 'Alt →', does: 'Forward', command: 'forward' },
  { keys: 'Ctrl B', does: 'Collapse or expand the navigation', command: 'navigation' },
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

/** Keys that components handle themselves, listed for the cheat sheet and the documentation only. */
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
        ['Enter', 'Show the service of the player'],
        ['Delete', 'Kick the selected players'],
        ['Ctrl C', 'Copy the names of the selected players'],
      ],
    },
    {
      title: 'Dialogs and menus',
      keys: [
        ['Esc', 'Close'],
        ['Tab', 'Next field or button'],
        ['Enter', 'Press the main button'],
      ],
    },
    {
      title: 'Settings',
      keys: [
        ['Ctrl F', 'Find a setting by its name, key or description'],
        ['Enter', 'In the search: go to the first result'],
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
        ['F3', 'Previous match; with Shift, next match'],
        ['Ctrl W', 'Close the tab'],
      ],
    },
  ];

/** All shortcuts that the frame handles. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  { title: 'Everywhere', shortcuts: general },
  { title: 'Screens, by letter', shortcuts: byLetter },
  { title: 'Screens, by number', shortcuts: byDigit },
];

/** Content of the cheat sheet: all shortcuts in groups. Alternatives are joined by ` or `. */
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

/** Returns the shortcut of a command, for tooltips and menus. Empty if the command has no shortcut. */
export function keysOf(command: WindowCommand): string {
  return general.find((shortcut) => shortcut.command === command)?.keys ?? '';
}

/** Maximum time between the two key presses of `G then …` (ms). */
export const CHORD_MS = 1500;

/** The properties of a key press that determine whether it is a shortcut. */
export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** Whether a text field has the focus. Keys without Ctrl or Alt then enter text. */
  readonly typing: boolean;
  /** Whether a dialog or menu covers the screens and handles its own keys. */
  readonly covered: boolean;
}

/** Effect of a key press: its command, and whether it is the first of two consecutive presses (`G then …`). */
export interface ShortcutMatch {
  readonly command: Shortcut['command'] | null;
  /** Whether `G` was pressed and the next letter names a screen. */
  readonly pending: boolean;
}

const names: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→' };
const nothing: ShortcutMatch = { command: null, pending: false };

/**
 * Interprets one key press. A pure function: time and focus are passed in.
 *
 * @param pending whether `G` was pressed at most {@link CHORD_MS} ago
 */
export function matchShortcut(press: Press, pending: boolean): ShortcutMatch {
  const { key, ctrl, alt } = press;
  if (!isShortcut(press)) return nothing;
  const name = names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  const plain = !ctrl && !alt;
  if (plain && pending) return { command: find(`G then ${name}`), pending: false };
  if (plain && name === 'G') return { command: null, pending: true };
  return { command: find(chordOf(press, name)), pending: false };
}

/**
 * Returns whether a key press may be a shortcut. While a dialog or menu covers the screen, only the keys for help may
 * be shortcuts. In a text field, letters and Alt with arrow keys keep their own meaning.
 */
function isShortcut({ key, ctrl, alt, typing, covered }: Press): boolean {
  // Help is always available.
  if (key === 'F1' || (key === '?' && !typing)) return !ctrl && !alt;
  if (covered) return false;
  return !typing || (ctrl && !alt) || (!alt && /^F\d+$/.test(key));
}

/**
 * Returns a key press in the notation of {@link Shortcut}. Without Ctrl or Alt, Shift is left out (except for F6),
 * because in many layouts characters such as `?` and `/` need Shift.
 */
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
