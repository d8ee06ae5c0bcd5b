import type { Transfer } from '#shared/ipc/contract.ts';
import type { Log } from '../../log.ts';
import { deletePart } from '../operations/download-file.ts';
import type { PartLedger } from '../operations/part.ts';
import type { RemoteSession } from '../remote/remote-session.ts';

/** Half-written files on masters that wait to be deleted; more would be a mistake. */
const MAX_PER_CONNECTION = 10_000;

/** Deletes what ended transfers left half-written: at once, or with the next connection to their master. */
export class Leftovers {
  readonly #paths: Map<string, Set<string>>;
  readonly #session: RemoteSession;
  readonly #log: Log;

  /** @param paths on masters, by connection profile, as {@link data} gave them */
  constructor(paths: Readonly<Record<string, readonly string[]>>, session: RemoteSession, log: Log) {
    this.#paths = new Map(Object.entries(paths).map(([connection, list]) => [connection, new Set(list)]));
    this.#session = session;
    this.#log = log;
  }

  /** Takes back what a transfer has half-written. */
  async discard({ direction, connection }: Transfer, parts: PartLedger): Promise<void> {
    const paths = Object.keys(parts.marks());
    for (const path of paths) parts.forget(path);
    if (paths.length === 0) return;
    if (direction === 'download') {
      for (const path of paths) {
        await deletePart(path).catch((error: unknown) => this.#giveUp(path, error));
      }
      return;
    }
    const known = this.#paths.get(connection) ?? new Set<string>();
    for (const path of paths) if (known.size < MAX_PER_CONNECTION) known.add(path);
    this.#paths.set(connection, known);
    await this.sweep();
  }

  /** Deletes those on the master that is connected. One that cannot be deleted is given up, unless the connection broke. */
  async sweep(): Promise<void> {
    const { connection } = this.#session;
    const paths = connection === null ? undefined : this.#paths.get(connection);
    if (connection === null || paths === undefined) return;
    try {
      const files = await this.#session.files();
      for (const path of paths) {
        await files.deleteFile(path).catch((error: unknown) => {
          if (files.closed) throw error;
          this.#giveUp(path, error);
        });
        paths.delete(path);
      }
      this.#paths.delete(connection);
    } catch (error) {
      this.#log.info({ err: error }, 'half-written files wait for the connection to be deleted');
    }
  }

  /** For the journal. */
  data(): Record<string, string[]> {
    return Object.fromEntries([...this.#paths].map(([connection, paths]) => [connection, [...paths]]));
  }

  #giveUp(path: string, error: unknown): void {
    this.#log.warn({ err: error, path }, 'a half-written file could not be deleted');
  }
}
