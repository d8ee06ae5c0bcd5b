import { visibleName } from '#shared/text/visible-name.ts';

/** What is typed in the window and not saved, as the page told it last. A page that begins anew tells it anew. */
export class UnsavedTexts {
  #names: readonly string[] = [];

  get names(): readonly string[] {
    return this.#names;
  }

  readonly heard = (names: readonly string[]): void => {
    this.#names = names;
  };
}

/** Names shown before "and … more". */
const MAX_NAMES = 5;

/** Names below each other for a question: a person sees what they would lose, and the question stays small. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(visibleName).join('\n');
  return names.length > MAX_NAMES ? `${shown}\nand ${names.length - MAX_NAMES} more` : shown;
}

/** What to ask before the app ends with such texts; nothing while there are none. */
export function questionAboutTexts(
  names: readonly string[],
): { readonly message: string; readonly detail: string } | null {
  if (names.length === 0) return null;
  const many = names.length === 1 ? '1 text is' : `${names.length} texts are`;
  return {
    message: `${many} not saved.`,
    detail: `${listed(names)}\n\nWhat you changed in ${names.length === 1 ? 'it' : 'them'} is lost when you quit.`,
  };
}
