import { request, subscribe } from '../../bridge/bridge.ts';
import { unsavedForms } from '../documents/unsaved.svelte.ts';

/** Key under which the route is stored. */
const MEMORY_KEY = 'place';
const FIRST_ROUTE = 'overview';

function readHash(): string {
  return window.location.hash.replace(/^#\/?/, '');
}

/** Decodes a part of an address. Returns an invalid part unchanged, for example a lone `%` that a person typed. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A question whether changed forms may be lost by leaving their screen. */
interface LeaveQuestion {
  /** Names of the forms. */
  readonly forms: readonly string[];
  /** Leaves the screen. */
  readonly go: () => void;
}

/**
 * The displayed route, which is stored in the window's address: `overview`, `services`, `services/<id>`,
 * `templates/<id>/<tab>`, `files/<path…>`, `activity`, `about`. The window's Back and Forward change the route.
 */
class Route {
  /** The route as one text: the part of the window's address after `#/`. */
  address = $state(readHash() === '' ? FIRST_ROUTE : readHash());
  /** The parts of the route, decoded: `['services', 'lobby-1']`. */
  readonly parts: readonly string[] = $derived(this.address.split('/').map(decode));
  /** First part of the route: the screen. */
  readonly screen: string = $derived(this.parts[0] ?? FIRST_ROUTE);

  /** The displayed question about changed forms. Null if none is displayed. */
  question = $state.raw<LeaveQuestion | null>(null);

  /** Opens a route, given by its parts, which may contain any character. Adds an entry to the window's history. */
  readonly go = (...parts: readonly string[]): void => {
    window.location.hash = `#/${parts.map(encodeURIComponent).join('/')}`;
    this.#read();
  };

  /** Opens a route like {@link go}, but adds no entry to the window's history. Meant for tabs and selections. */
  readonly replace = (...parts: readonly string[]): void => {
    window.history.replaceState(null, '', `#/${parts.map(encodeURIComponent).join('/')}`);
    this.#read();
  };

  /**
   * Leaves the screen on a request of the main process, which can come while a dialog is open. The dialog disappears
   * with its screen, so if a person has changed its form, asks first.
   *
   * @param go opens another route
   */
  readonly leave = (go: () => void): void => {
    const forms = unsavedForms();
    if (forms.length === 0) go();
    else this.question = { forms, go };
  };

  /**
   * Opens the stored route if the window's address has none. From then on, follows the address and the routes that
   * the main process opens.
   *
   * @returns a function that stops the updates
   */
  readonly connect = (): (() => void) => {
    const onHashChange = (): void => this.#read();
    window.addEventListener('hashchange', onHashChange);
    const stopHearing = subscribe('navigate', ({ route }) => this.leave(() => this.go(...route.split('/'))));
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
    const next = readHash() === '' ? FIRST_ROUTE : readHash();
    if (next === this.address) return;
    this.address = next;
    // A failure is ignored: the next start only opens an older route.
    request('app.remember', { key: MEMORY_KEY, value: next }).catch(() => undefined);
  }
}

export const route = new Route();

/** Returns the address for a link to a route: `<a href={routeHref('services', id)}>`. */
export function routeHref(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * Second part of the route `templates/+new`: the form for a new template. The id of a template cannot start with a
 * plus.
 */
export const NEW_TEMPLATE = '+new';

/** Second part of the route `overview/network`: the form for a new network. */
export const NEW_NETWORK = 'network';
