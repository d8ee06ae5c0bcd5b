import { request, subscribe } from '../../bridge/bridge.ts';

/** Key under which the place is stored. */
const MEMORY_KEY = 'place';
const FIRST_PLACE = 'overview';

function readHash(): string {
  return window.location.hash.replace(/^#\/?/, '');
}

/** Decodes a part of an address. Text that a person typed may contain a lone `%`; it is then used as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The place that is shown, kept in the window's address: `overview`, `services`, `services/<id>`,
 * `templates/<id>/<tab>`, `files/<path…>`, `activity`, `about`. The window's back and forward buttons work on it.
 */
class Place {
  /** The whole address without `#/`. */
  address = $state(readHash() === '' ? FIRST_PLACE : readHash());
  /** The address split at slashes and decoded: `['services', 'lobby-1']`. */
  readonly parts: readonly string[] = $derived(this.address.split('/').map(decode));
  /** First part of the address: the screen. */
  readonly screen: string = $derived(this.parts[0] ?? FIRST_PLACE);

  /** Goes to a place given by its parts, which may contain any character. Adds a history entry. */
  readonly go = (...parts: readonly string[]): void => {
    window.location.hash = `#/${parts.map(encodeURIComponent).join('/')}`;
    this.#read();
  };

  /** Like {@link go}, but without a history entry: for tabs and selections. */
  readonly replace = (...parts: readonly string[]): void => {
    window.history.replaceState(null, '', `#/${parts.map(encodeURIComponent).join('/')}`);
    this.#read();
  };

  /** Restores the last place and follows the window's address and the menu. @returns a function that stops following */
  readonly connect = (): (() => void) => {
    const onHashChange = (): void => this.#read();
    window.addEventListener('hashchange', onHashChange);
    const stopHearing = subscribe('navigate', ({ place }) => this.go(...place.split('/')));
    if (readHash() === '') void this.#restore();
    return () => {
      window.removeEventListener('hashchange', onHashChange);
      stopHearing();
    };
  };

  async #restore(): Promise<void> {
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    const last = memory[MEMORY_KEY];
    if (last !== undefined && readHash() === '') {
      window.history.replaceState(null, '', `#/${last}`);
      this.#read();
    }
  }

  #read(): void {
    const next = readHash() === '' ? FIRST_PLACE : readHash();
    if (next === this.address) return;
    this.address = next;
    // A place that cannot be stored is a small loss at the next start.
    request('app.remember', { key: MEMORY_KEY, value: next }).catch(() => undefined);
  }
}

export const place = new Place();

/** Returns the address for a link to a place: `<a href={placeHref('services', id)}>`. */
export function placeHref(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** `templates/+new`: the form for a new template. A template id cannot start with a plus. */
export const NEW_TEMPLATE = '+new';
