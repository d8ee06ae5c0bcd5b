import { request, subscribe } from '../../bridge/bridge.ts';

/** Where a place is kept over restarts. */
const MEMORY_KEY = 'place';
const FIRST_PLACE = 'overview';

function readHash(): string {
  return window.location.hash.replace(/^#\/?/, '');
}

/** A hand-written address may hold a lone `%`; it is then taken as it stands. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The place shown, as the window's address: `overview`, `services`, `services/<id>`, `templates/<id>/<tab>`,
 * `files/<path…>`, `activity`, `about`. Back and forward of the window work on it.
 */
class Place {
  /** The whole address, without `#/`. */
  address = $state(readHash() === '' ? FIRST_PLACE : readHash());
  /** The address cut at slashes and decoded: `['services', 'lobby-1']`. */
  readonly parts: readonly string[] = $derived(this.address.split('/').map(decode));
  /** First part: which screen. */
  readonly screen: string = $derived(this.parts[0] ?? FIRST_PLACE);

  /** Goes to a place given by its parts, which may hold any character. Adds to the window's history. */
  readonly go = (...parts: readonly string[]): void => {
    window.location.hash = `#/${parts.map(encodeURIComponent).join('/')}`;
    this.#read();
  };

  /** Like {@link go}, but without a step in the history: for tabs and selections. */
  readonly replace = (...parts: readonly string[]): void => {
    window.history.replaceState(null, '', `#/${parts.map(encodeURIComponent).join('/')}`);
    this.#read();
  };

  /** Restores the last place and follows the window's address and the menu. @returns stops following */
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
    // A place that cannot be remembered is only a small loss at the next start.
    request('app.remember', { key: MEMORY_KEY, value: next }).catch(() => undefined);
  }
}

export const place = new Place();

/** Address for a link to a place: `<a href={placeHref('services', id)}>`. */
export function placeHref(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** `templates/+new`: the form for a new template. A template's id cannot begin with a plus. */
export const NEW_TEMPLATE = '+new';
