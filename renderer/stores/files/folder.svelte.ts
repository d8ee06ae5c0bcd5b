import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry, Transfer } from '#shared/ipc/contract.ts';
import { isUnderWay } from '../../view/format/transfer.ts';
import { Refresher } from '../refresher.ts';

/** An entry of a folder, on either side: both are told in the same shape. */
export type Entry = RemoteEntry;

/** One folder, kept fresh while a screen shows it: what the two sides have in common. */
export abstract class Folder {
  path = $state('');
  /** What is in it, as last read; null until then. */
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

  /** Goes to a folder and reads it. The one shown now is read again by {@link refresh}. */
  readonly open = (path: string): void => {
    if (path === this.path && (this.entries !== null || this.loading)) return;
    this.path = path;
    this.entries = null;
    this.error = null;
    this.refresher.reset();
    void this.refresher.refresh();
  };

  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /** The list is read again whether the work succeeds or not: when it did not, the list is probably old. */
  readonly change = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      await this.refresh();
    }
  };
}

/** Names the transfers that have ended and changed a folder (or what is below it), so that a new one is noticed. */
export function endedIn(list: readonly Transfer[], side: 'local' | 'remote', folder: string): string {
  const filling = side === 'remote' ? 'upload' : 'download';
  return list
    .filter((transfer) => (transfer.direction === filling || transfer.move) && !isUnderWay(transfer))
    .filter(({ remotePath, localPath }) => (side === 'remote' ? remotePath : localPath).startsWith(folder))
    .map(({ id, state }) => `${id}:${state}`)
    .join();
}
