/** What a key means while the keyboard is in one of the lists. */
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
  | 'edit'
  | 'refresh'
  | 'type path'
  | 'filter'
  | 'search'
  | 'hidden'
  | 'bookmark';

/** One key and what it means; also the list that is shown to people. */
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
  { keys: 'F4', command: 'edit' },
  { keys: 'F5', command: 'refresh' },
  { keys: 'Ctrl+R', command: 'refresh' },
  { keys: 'Ctrl+L', command: 'type path' },
  { keys: 'Ctrl+F', command: 'filter' },
  { keys: 'Ctrl+Shift+F', command: 'search' },
  { keys: 'Ctrl+H', command: 'hidden' },
  { keys: 'Ctrl+D', command: 'bookmark' },
];

const byKeys = new Map(fileKeys.map(({ keys, command }) => [keys.toLowerCase(), command]));

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Reads a key; the Command key of a Mac counts as Ctrl. Undefined: it means nothing here. */
export function readFileKey(event: Key): FileCommand | undefined {
  const parts = [
    event.ctrlKey || event.metaKey ? 'ctrl' : '',
    event.altKey ? 'alt' : '',
    event.shiftKey ? 'shift' : '',
    event.key.toLowerCase(),
  ];
  return byKeys.get(parts.filter((part) => part !== '').join('+'));
}

/** Those that mean the same wherever the keyboard is on the screen, but in a field. */
export const windowCommands: ReadonlySet<FileCommand> = new Set([
  'refresh',
  'type path',
  'filter',
  'search',
  'new folder',
  'other side',
]);
