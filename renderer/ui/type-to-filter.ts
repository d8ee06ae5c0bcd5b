/** Keys that begin a filter. */
type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'preventDefault'>;

/**
 * Lets a person filter a table by typing anywhere in it: a printable key goes into the filter's field, `/` only leads
 * there. `?` opens the list of shortcuts and is left alone.
 *
 * @param type adds a letter to the filter
 * @returns true when the key was used
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
