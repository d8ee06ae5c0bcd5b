import type { LocalPlace } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { endedIn, Folder, type Entry } from './folder.svelte.ts';
import { transfers } from './transfers.svelte.ts';

/** The list of all places stands above them, where no folder of the system is. */
export const PLACES = '';

/** A folder of this computer, or the list of its places. */
export class LocalFolder extends Folder {
  /** Folders that the app was given. */
  places = $state.raw<readonly LocalPlace[]>([]);
  /** The folder above the one shown, as far as the app may go: the list of places at the top. */
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

  /** Reads it again after each transfer into it or out of it, and when the window is looked at again. @returns stops it */
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

  /** Reads which places there are. */
  readonly readPlaces = async (): Promise<void> => {
    this.places = await request('local.places', {});
  };

  /** Asks for a folder by the system's dialog. @returns its path, null when the person closed the dialog */
  readonly addPlace = async (): Promise<string | null> => {
    const added = await request('local.addPlace', {});
    if (added === null) return null;
    await this.readPlaces();
    return added.path;
  };

  /** Takes a folder off the list; nothing is deleted. */
  readonly removePlace = async (path: string): Promise<void> => {
    await request('local.removePlace', { path });
    await this.readPlaces();
    if (this.path === PLACES) await this.refresh();
  };
}

function toEntry({ name, path }: LocalPlace): Entry {
  return { name, path, kind: 'folder', bytes: 0, modifiedAt: 0, mode: 0 };
}
