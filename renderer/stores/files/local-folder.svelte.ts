import type { LocalPlace } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { endedIn, Folder, type Entry } from './folder.svelte.ts';
import { transfers } from './transfers.svelte.ts';

/** Path of the list of all places. Places are the folders that the window may access. */
export const PLACES = '';

/** A folder of this computer, or the list of places ({@link PLACES}). */
export class LocalFolder extends Folder {
  /** All places: the folders of this computer that the window may access. */
  places = $state.raw<readonly LocalPlace[]>([]);
  /** Path of the parent folder. {@link PLACES} if the parent is not inside a place. */
  parent = $state<string>(PLACES);

  protected override async read(path: string): Promise<readonly Entry[]> {
    if (path === PLACES) {
      this.places = await request('local.places', {});
      return this.places.map(toEntry);
    }
    const { parent, entries } = await request('local.list', { folder: path });
    if (path === this.path) this.parent = parent ?? PLACES;
    return entries;
  }

  /**
   * Keeps the folder up to date. Reads it after each transfer that changes it, and when the window gets the focus.
   *
   * @returns a function that stops the updates
   */
  readonly connect = (): (() => void) => {
    let ended = endedIn(transfers.list, 'local', this.path);
    const onFocus = (): void => this.refresher.stale();
    window.addEventListener('focus', onFocus);
    const stops = [
      this.refresher.connect(),
      () => window.removeEventListener('focus', onFocus),
      subscribe('transfers', (list) => {
        const now = endedIn(list, 'local', this.path);
        if (now !== ended) this.refresher.stale();
        ended = now;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };

  /** Reads the list of places. */
  readonly readPlaces = async (): Promise<void> => {
    this.places = await request('local.places', {});
  };

  /**
   * Adds a folder that the person chooses in the system's dialog. @returns the folder's path; null if the person
   * cancels
   */
  readonly addPlace = async (): Promise<string | null> => {
    const added = await request('local.addPlace', {});
    if (added === null) return null;
    await this.readPlaces();
    return added.path;
  };

  /** Removes a folder from the list of places. Deletes no files. */
  readonly removePlace = async (path: string): Promise<void> => {
    await request('local.removePlace', { path });
    await this.readPlaces();
    if (this.path === PLACES) await this.refresh();
  };
}

function toEntry({ name, path }: LocalPlace): Entry {
  return { name, path, kind: 'folder', bytes: 0, modifiedAt: 0, mode: 0 };
}
