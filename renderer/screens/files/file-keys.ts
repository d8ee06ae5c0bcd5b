import { shortcutKey, type PressedWithCtrl } from '../../ui/keyboard/shortcut-key.ts';

/** Commands that keys trigger while one of the two lists of files has the focus. */
export type FileCommand =
  | 'up'
  | 'rename'
  | 'delete'
  | 'new folder'
  | 'copy'
  | 'cut'
  | 'paste'
  | 'copy path'
  | 'properties'
  | 'other side'
  | 'transfer'
  | 'move across'
  | 'edit'
  | 'refresh'
  | 'type path'
  | 'filter'
  | 'search'
  | 'hidden'
  | 'bookmark';

/** A combination of keys and its command. */
export interface FileKey {
  readonly keys: string;
  readonly command: FileCommand;
}

export const fileKeys: readonly FileKey[] = [
  { keys: 'Backspace', command: 'up' },
  { keys: 'Alt+ArrowUp', command: 'up' },
  { keys: 'F2', command: 'rename' },
  { keys: 'Delete', command: 'delete' },
  { keys: 'F7', command: 'new folder' },
  { keys: 'Ctrl+Shift+N', command: 'new folder' },
  { keys: 'Ctrl+C', command: 'copy' },
  { keys: 'Ctrl+X', command: 'cut' },
  { keys: 'Ctrl+V', command: 'paste' },
  { keys: 'Ctrl+Shift+C', command: 'copy path' },
  { keys: 'Alt+Enter', command: 'properties' },
  { keys: 'Ctrl+ArrowLeft', command: 'other side' },
  { keys: 'Ctrl+ArrowRight', command: 'other side' },
  { keys: 'F6', command: 'other side' },
  { keys: 'Ctrl+Enter', command: 'transfer' },
  { keys: 'Ctrl+Shift+Enter', command: 'move across' },
  { keys: 'F4', command: 'edit' },
  { keys: 'F5', command: 'refresh' },
  { keys: 'Ctrl+R', command: 'refresh' },
  { keys: 'Ctrl+L', command: 'type path' },
  { keys: 'Ctrl+F', command: 'filter' },
  { keys: 'Ctrl+Shift+F', command: 'search' },
  { keys: 'Ctrl+H', command: 'hidden' },
  { keys: 'Ctrl+D', command: 'bookmark' },
];

/** Description of each command for the cheat sheet. */
const does: Readonly<Record<FileCommand, string>> = {
  'other side': 'Switch between this computer and the master',
  transfer: 'Upload or download',
  'move across': 'Move to the other side',
  up: 'One folder up',
  'type path': 'Type a path',
  filter: 'Filter the list',
  search: 'Search names and contents',
  edit: 'Edit',
  rename: 'Rename',
  'new folder': 'New folder',
  copy: 'Copy',
  cut: 'Cut',
  paste: 'Paste',
  'copy path': 'Copy the path',
  properties: 'Properties',
  delete: 'Delete',
  bookmark: 'Bookmark the folder',
  hidden: 'Show or hide hidden files',
  refresh: 'Reload the folders',
};

const arrows: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' };

/** All keys of the screen for the cheat sheet, one line per command. */
export const fileKeySheet: readonly (readonly [keys: string, does: string])[] = Object.entries(does).map(
  ([command, words]) => {
    const written = fileKeys
      .filter((key) => key.command === command)
      .map(({ keys }) =>
        keys
          .split('+')
          .map((key) => arrows[key] ?? key)
          .join(' '),
      );
    return [written.join(' or ').replace('Ctrl ← or Ctrl →', 'Ctrl ← →'), words];
  },
);

const byKeys = new Map(fileKeys.map(({ keys, command }) => [keys.toLowerCase(), command]));

interface Key extends PressedWithCtrl {
  readonly altKey: boolean;
}

/**
 * Returns the command of a key press. Undefined if the keys have no command. The Command key of a Mac counts as Ctrl.
 */
export function readFileKey(event: Key): FileCommand | undefined {
  const parts = [
    event.ctrlKey || event.metaKey ? 'ctrl' : '',
    event.altKey ? 'alt' : '',
    event.shiftKey ? 'shift' : '',
    shortcutKey(event).toLowerCase(),
  ];
  return byKeys.get(parts.filter((part) => part !== '').join('+'));
}

/** Commands that work wherever the focus is on the screen, except in a field. */
export const windowCommands: ReadonlySet<FileCommand> = new Set([
  'refresh',
  'type path',
  'filter',
  'search',
  'new folder',
  'other side',
]);
