import type { Entry } from '../../../stores/files/folder.svelte.ts';
import { typeAhead } from './entries.ts';

/** Letters typed within this time, ms, belong to one name. */
const TOGETHER_MS = 900;

/** Letters lead to the next name that begins so; the same letter again goes on to the one after. */
export class TypeAhead {
  #letters = '';
  #at = 0;

  /** Another key was pressed: the next letter begins a name. */
  readonly end = (event: KeyboardEvent): void => {
    if (!isLetter(event)) this.#letters = '';
  };

  /** @returns index of the entry that a key leads to; -1 when it is no letter, or none begins so */
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
