import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry, Transfer } from '#shared/ipc/contract.ts';
import { isUnderWay } from '../../view/format/transfer.ts';
import { Refresher } from '../refresher.ts';

/** An entry of a folder, in the same form for the master and for this computer. */
export type Entry = RemoteEntry;

/** A folder on this computer or on the master. It is kept up to date while a screen shows it. */
export abstract class Folder {
  path = $state('');
  /** The entries of the folder as last read. Null before the first read. */
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

  /**
   * Opens a folder and reads it. Does nothing if the folder is already open. To read it again, call {@link refresh}.
   */
  readonly open = (path: string): void => {
    if (path === this.path && (this.entries !== null || this.loading)) return;
    this.path = path;
    this.entries = null;
    this.error = null;
    this.refresher.reset();
    void this.refresher.refresh();
  };

  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /**
   * Waits for a change of the folder, and then reads the folder again. Also reads it after a failure, because a part
   * of the change may have been made.
   */
  readonly change = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      await this.refresh();
    }
  };
}

/**
 * Returns a text that changes whenever a transfer ends that changes the content of a folder, or of anything below it.
 * The text contains the ids and states of the ended transfers. Only the beginnings of paths are compared, so the text
 * of `maps` also changes when a transfer of `maps2` ends.
 */
export function endedIn(list: readonly Transfer[], side: 'local' | 'remote', folder: string): string {
  const filling = side === 'remote' ? 'upload' : 'download';
  return list
    .filter((transfer) => (transfer.direction === filling || transfer.move) && !isUnderWay(transfer))
    .filter(({ remotePath, localPath }) => (side === 'remote' ? remotePath : localPath).startsWith(folder))
    .map(({ id, state }) => `${id}:${state}`)
    .join();
}
