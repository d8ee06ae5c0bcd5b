import type { Transfer } from '#shared/ipc/contract.ts';
import type { Log } from '../../environment/log.ts';
import { deletePart } from '../operations/download-file.ts';
import type { PartLedger } from '../operations/part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { TransferJobs } from './transfer-jobs.ts';

/** Maximum number of partial files per connection that wait for deletion. */
const MAX_PER_CONNECTION = 10_000;

interface Options {
  /** The jobs of the queue, which know which partial files are needed. */
  readonly jobs: Pick<TransferJobs, 'deleteUnneeded'>;
  readonly session: {
    readonly connection: string | null;
    files(): Promise<Pick<RemoteFiles, 'deleteFile' | 'closed'>>;
  };
  readonly log: Log;
}

/**
 * Deletes the partial files of ended transfers, immediately or at the next connection to the master that has them.
 * A new transfer of the same source uses the same partial file. Such a file is not deleted.
 */
export class Leftovers {
  readonly #paths: Map<string, Set<string>>;
  readonly #options: Options;

  /**
   * Creates the list from the data of the journal.
   *
   * @param paths paths of partial files on masters, by connection profile, as returned by {@link data}
   */
  constructor(paths: Readonly<Record<string, readonly string[]>>, options: Options) {
    this.#paths = new Map(Object.entries(paths).map(([connection, list]) => [connection, new Set(list)]));
    this.#options = options;
  }

  /**
   * Deletes the partial files of a transfer. If their master is disconnected, deletes them at the next connection to
   * it.
   */
  async discard({ direction, connection }: Transfer, parts: PartLedger): Promise<void> {
    const paths = Object.keys(parts.marks());
    for (const path of paths) parts.forget(path);
    if (paths.length === 0) return;
    if (direction === 'download') {
      for (const path of paths) {
        await this.#options.jobs
          .deleteUnneeded(path, () => deletePart(path))
          .catch((error: unknown) => this.#giveUp(path, error));
      }
      return;
    }
    const known = this.#paths.get(connection) ?? new Set<string>();
    for (const path of paths) if (known.size < MAX_PER_CONNECTION) known.add(path);
    this.#paths.set(connection, known);
    await this.sweep();
  }

  /**
   * Deletes the leftovers on the connected master. A file that cannot be deleted is dropped from the list, unless
   * the connection broke. A file that a transfer needs stays in the list, because the transfer may belong to another
   * master, where the file has the same path.
   */
  async sweep(): Promise<void> {
    const { session, jobs, log } = this.#options;
    const { connection } = session;
    const paths = connection === null ? undefined : this.#paths.get(connection);
    if (connection === null || paths === undefined) return;
    try {
      const files = await session.files();
      for (const path of paths) {
        const isGone = await jobs
          .deleteUnneeded(path, () => files.deleteFile(path))
          .catch((error: unknown) => {
            if (files.closed) throw error;
            this.#giveUp(path, error);
            return true;
          });
        if (isGone) paths.delete(path);
      }
      if (paths.size === 0) this.#paths.delete(connection);
    } catch (error) {
      log.info({ err: error }, 'half-written files are deleted once the connection is back');
    }
  }

  /** Returns the paths of files that are not deleted yet, by connection profile, for the journal. */
  data(): Record<string, string[]> {
    return Object.fromEntries([...this.#paths].map(([connection, paths]) => [connection, [...paths]]));
  }

  #giveUp(path: string, error: unknown): void {
    this.#options.log.warn({ err: error, path }, 'a half-written file could not be deleted');
  }
}
