import { untrack } from 'svelte';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';

/** A list that a publisher provides, such as the versions of some software. It is requested when it is needed. */
export class PublishedList<T> {
  /** The entries. Null until they have arrived. */
  list = $state.raw<readonly T[] | null>(null);
  error = $state.raw<OverworldError | null>(null);
  /** Key of the requested list. A response for another key is outdated and is ignored. */
  #key: string | null = null;

  /**
   * Requests the list with the given key. Does nothing if this list is shown or has already been requested. A null
   * key empties the list.
   */
  readonly show = (key: string | null, read: () => Promise<readonly T[]>): void => {
    // An effect that calls this function must not depend on the error. Otherwise, each failure would run the effect
    // again, without end.
    if (key === this.#key && untrack(() => this.error) === null) return;
    this.#key = key;
    this.list = null;
    this.error = null;
    if (key !== null) void this.#read(key, read);
  };

  async #read(key: string, read: () => Promise<readonly T[]>): Promise<void> {
    try {
      const list = await read();
      if (this.#key === key) this.list = list;
    } catch (thrown) {
      if (this.#key === key) this.error = toOverworldError(thrown);
    }
  }
}

/** Returns the newest stable entry, or the newest one if none is stable. Undefined for an empty list. */
export function newestOf<T extends { readonly stable: boolean }>(list: readonly T[]): T | undefined {
  return list.find(({ stable }) => stable) ?? list[0];
}

/** Returns the completed share of a task's bytes, from 0 to 1. Null while the total is unknown. */
export function shareOf(
  progress: { readonly bytes: { readonly done: number; readonly total: number | null } } | null,
): number | null {
  const { done, total } = progress?.bytes ?? { done: 0, total: null };
  return total === null || total === 0 ? null : done / total;
}
