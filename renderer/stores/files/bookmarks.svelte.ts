import { z } from 'zod';
import { request } from '../../bridge/bridge.ts';
import { parseKept } from '../app/kept.ts';
import { link } from '../connection/link.svelte.ts';

const listSchema = z.array(z.string()).catch([]);
/** Maximum length of a value that the app stores under one key (characters). */
const MOST_CHARACTERS = 4096;

/** Bookmarked folders on the master, separately for each connection. */
class Bookmarks {
  paths = $state.raw<readonly string[]>([]);
  /** Id of the connection to which the loaded bookmarks belong. Null before the first load. */
  #connection: string | null = null;

  /** Loads the bookmarks of the current connection. Does nothing if they are already loaded. */
  readonly restore = async (): Promise<void> => {
    const connection = link.value?.connection ?? null;
    if (connection === null || connection === this.#connection) return;
    this.#connection = connection;
    this.paths = [];
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    if (this.#connection === connection) this.paths = listSchema.parse(parseKept(memory[keyOf(connection)]));
  };

  readonly has = (path: string): boolean => this.paths.includes(path);

  /** Adds or removes a bookmark. @returns false if there is no room for another bookmark */
  readonly toggle = (path: string): boolean => {
    const next = this.has(path) ? this.paths.filter((other) => other !== path) : [...this.paths, path].sort();
    const value = JSON.stringify(next);
    if (value.length > MOST_CHARACTERS || this.#connection === null) return false;
    this.paths = next;
    request('app.remember', { key: keyOf(this.#connection), value }).catch(() => undefined);
    return true;
  };
}

function keyOf(connection: string): string {
  // `app.remember` accepts keys of at most 64 characters.
  return `bookmarks.${connection}`.slice(0, 64);
}

export const bookmarks = new Bookmarks();
