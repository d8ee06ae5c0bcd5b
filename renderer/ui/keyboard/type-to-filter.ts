/** The properties of a keyboard event that decide whether its key starts a filter. */
type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'preventDefault'>;

/**
 * Lets a person filter a table by typing anywhere in it. Enters a printable key into the filter field. On `/`, only
 * focuses this field. Ignores `?`, which opens the list of shortcuts.
 *
 * @param type adds a character to the filter
 * @returns whether the key was used
 */
export function typeToFilter(
  event: Key,
  field: Pick<HTMLElement, 'focus'> | undefined,
  type: (letter: string) => void,
): boolean {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || key.length !== 1 || key === '?') return false;
  if (key !== '/') type(key);
  field?.focus();
  event.preventDefault();
  return true;
}
