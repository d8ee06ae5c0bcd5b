import { visibleName } from '#shared/text/visible-name.ts';
import type { DialogQuestion } from './ask.ts';

/** Names of unsaved texts, as the page last reported them. A reloaded page reports them again. */
export class UnsavedTexts {
  #names: readonly string[] = [];

  get names(): readonly string[] {
    return this.#names;
  }

  readonly update = (names: readonly string[]): void => {
    this.#names = names;
  };
}

/** Number of names shown before "and … more". */
const MAX_NAMES = 5;

/**
 * Returns the text of a list of names for a question: at most five names, one per line. If there are more, the last
 * line has the number of the others.
 */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(visibleName).join('\n');
  return names.length > MAX_NAMES ? `${shown}\nand ${names.length - MAX_NAMES} more` : shown;
}

/** Returns the question about unsaved texts before the app quits. Null if there are none. */
export function questionAboutTexts(
  names: readonly string[],
): { readonly message: string; readonly detail: string } | null {
  if (names.length === 0) return null;
  return { message: 'Quit and discard unsaved changes?', detail: `Unsaved:\n${listNames(names)}` };
}

/**
 * Returns the question about unsaved texts before a clicked notification switches to its master. Null if there are
 * none.
 *
 * @param connection name of the connection to this master
 */
export function questionAboutNote(connection: string, names: readonly string[]): DialogQuestion | null {
  if (names.length === 0) return null;
  const name = visibleName(connection);
  return {
    title: 'Switch to another master',
    message: `Switch to ${name} and discard unsaved changes?`,
    detail: `The notification is about ${name}.\n\nUnsaved:\n${listNames(names)}`,
    confirm: 'Switch and discard',
  };
}

/**
 * Returns the question about unsaved texts before the app switches to a newly installed master. Null if there are none.
 *
 * @param connection name of the connection to the new master
 */
export function questionAboutSwitch(connection: string, names: readonly string[]): DialogQuestion | null {
  if (names.length === 0) return null;
  return {
    title: 'Switch to the new master',
    message: `Switch to the new master ${visibleName(connection)} and discard unsaved changes?`,
    detail:
      `Unsaved:\n${listNames(names)}\n\n` +
      'If you cancel, the app does not trust the host key of the new master. It asks you again later.',
    confirm: 'Switch and discard',
  };
}
