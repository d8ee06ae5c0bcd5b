import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry, Transfer } from '#shared/ipc/contract.ts';
import { isUnderWay } from '../../view/format/transfer.ts';
import { Refresher } from '../refresher.ts';

/** An entry of a folder. Both sides have the same shape. */
export type Entry = RemoteEntry;

/** A folder that is kept up to date while a screen shows it: what local and remote folders have in common. */
export abstract class Folder {
  path = $state('');
  /** The entries of the folder as last read. Null before they have been read. */
  entries = $state.raw<readonly Entry[] | null>(null);
  readAt = $state<number | null>(null);
  loading = $state(false);
  error = $state.raw<OverworldError | null>(null);

  protected readonly refresher = new Refresher<{ path: string; entries: readonly Entry[] }>({
    fetch: async () => {
      const path = this.path;
      return { path, entries: await this.read(path) };
    },
    apply: ({ path, entries }) => {
      if (path !== this.path) return;
      this.entries = entries;
      this.readAt = Date.now();
    },
    onstate: ({ loading, error }) => {
      this.loading = loading;
      if (!loading) this.error = error;
    },
  });

  protected abstract read(path: string): Promise<readonly Entry[]>;

  /** Opens a folder and reads it. Use {@link refresh} to read the current one again. */
  readonly open = (path: string): void => {
    if (path === this.path && (this.entries !== null || this.loading)) return;
    this.path = path;
    this.entries = null;
    this.error = null;
    this.refresher.reset();
    void this.refresher.refresh();
  };

  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /** Waits for a change and reads the list again, even if the change failed: the list is probably outdated then. */
  readonly change = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      await this.refresh();
    }
  };
}

/** Returns the finished transfers that changed a folder or what is below it, as a key, so that a new one is noticed. */
export function endedIn(list: readonly Transfer[], side: 'local' | 'remote', folder: string): string {
  const filling = side === 'remote' ? 'upload' : 'download';
  return list
    .filter((transfer) => (transfer.direction === filling || transfer.move) && !isUnderWay(transfer))
    .filter(({ remotePath, localPath }) => (side === 'remote' ? remotePath : localPath).startsWith(folder))
    .map(({ id, state }) => `${id}:${state}`)
    .join();
}
