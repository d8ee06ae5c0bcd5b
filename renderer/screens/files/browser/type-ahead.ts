import type { Entry } from '../../../stores/files/folder.svelte.ts';
import { typeAhead } from './entries.ts';

/** Letters typed within this time belong to one name (ms). */
const TOGETHER_MS = 900;

/**
 * Selects entries by typing. Typed letters select the next name that starts with them. The same letter again selects
 * the following match.
 */
export class TypeAhead {
  #letters = '';
  #at = 0;

  /** Ends the name that is being typed if the pressed key is no letter. */
  readonly end = (event: KeyboardEvent): void => {
    if (!isLetter(event)) this.#letters = '';
  };

  /**
   * Handles a key press in the list.
   *
   * @returns the index of the entry to select; -1 if the key is no letter or no name matches
   */
  type(event: KeyboardEvent, shown: readonly Entry[], active: string | null): number {
    if (!isLetter(event)) return -1;
    const fresh = event.timeStamp - this.#at > TOGETHER_MS;
    this.#at = event.timeStamp;
    const repeated = !fresh && this.#letters === event.key;
    this.#letters = fresh || repeated ? event.key : this.#letters + event.key;
    const stands = shown.findIndex(({ path }) => path === active);
    return typeAhead(shown, this.#letters, this.#letters.length === 1 ? stands + 1 : Math.max(0, stands));
  }
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && key !== '?' && !ctrlKey && !metaKey && !altKey;
}
