import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { transferSchema } from '#shared/ipc/contract.ts';
import type { Log } from '../../environment/log.ts';
import { chosenFileSchema, type ChosenFile } from '../operations/chosen-file.ts';
import { toLocalError } from '../remote/file-errors.ts';

/**
 * Minimum time between two writes (ms). After a crash, bytes that arrived since the last write are copied again,
 * because the stored marks are a lower bound.
 */
const WRITE_EVERY_MS = 1000;

/** Minimum ratio of idle time to write time, so that a queue of ten thousand files is not written every second. */
const REST_FACTOR = 20;

const storedTransferSchema = z.object({
  transfer: transferSchema,
  policy: z.enum(['refuse', 'overwrite', 'newer', 'skip', 'resume']),
  /** Whether the transfer has begun to copy files. Files at the destination may then be its own copies. */
  again: z.boolean(),
  /** Maps each partial file on the destination side to the number of bytes from its start that are complete. */
  parts: z.record(z.string(), z.int()),
  /** Whether the transfer copies only some files of a folder. Their list is stored in a separate file. */
  chosen: z.boolean(),
});
export type StoredTransfer = z.infer<typeof storedTransferSchema>;

const journalSchema = z.object({
  version: z.literal(1),
  transfers: z.array(storedTransferSchema),
  /** Partial files on masters that could not be deleted yet, by connection profile. */
  leftovers: z.record(z.string(), z.array(z.string())),
});
export type JournalData = z.infer<typeof journalSchema>;

/**
 * The transfer queue on disk, so that it survives a restart of the app. One writer, limited in rate; each write is
 * atomic.
 */
export class TransferJournal {
  readonly #folder: string;
  readonly #log: Log;
  #snapshot: (() => JournalData) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #last: Promise<void> = Promise.resolve();
  #restMs = WRITE_EVERY_MS;

  /**
   * Creates a journal without reading it.
   *
   * @param folder folder in the app's data folder that only the journal uses
   */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /**
   * Reads the stored queue. Returns an empty queue if there is none or it cannot be read. Renames a faulty file to
   * `.broken`, because it must not keep the app from starting.
   */
  async read(): Promise<JournalData> {
    const none: JournalData = { version: 1, transfers: [], leftovers: {} };
    let text: string;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#log.error(
          { err: error, path: this.#path },
          'the transfer queue cannot be read; it starts empty',
        );
      }
      return none;
    }
    try {
      return journalSchema.parse(JSON.parse(text));
    } catch (error) {
      this.#log.error({ err: error, path: this.#path }, 'the transfer queue is faulty; it was moved aside');
      await rename(this.#path, `${this.#path}.broken`);
      return none;
    }
  }

  /**
   * Schedules a write.
   *
   * @param snapshot returns the data to write; called at the time of the write
   */
  note(snapshot: () => JournalData): void {
    this.#snapshot = snapshot;
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.flush(), this.#restMs);
    this.#timer.unref();
  }

  /** Writes pending changes immediately. Logs a failure, because the queue works without its journal. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#last = this.#last.then(() => this.#write());
    await this.#last;
  }

  /**
   * Stores the list of files of a transfer: those chosen for a copy, or those to be removed after a move.
   *
   * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE
   */
  async writeChosen(id: string, files: readonly ChosenFile[]): Promise<void> {
    await writeList(this.#chosenPath(id), files);
  }

  /**
   * Reads the stored list of files of a transfer.
   *
   * @throws Error if it is missing or faulty
   */
  async readChosen(id: string): Promise<ChosenFile[]> {
    return z.array(chosenFileSchema).parse(JSON.parse(await readFile(this.#chosenPath(id), 'utf8')));
  }

  /**
   * Stores which files at the destination of a transfer had the size and time of their source before the first
   * attempt, and are not copied yet (`equalBefore` in copy-tree.ts).
   *
   * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE
   */
  async writeEqual(id: string, paths: ReadonlySet<string>): Promise<void> {
    if (paths.size > 0) await writeList(this.#equalPath(id), [...paths]);
    else await rm(this.#equalPath(id), { force: true });
  }

  /**
   * Reads what {@link writeEqual} has stored. Returns an empty set if nothing is stored.
   *
   * @throws Error if it is faulty
   */
  async readEqual(id: string): Promise<Set<string>> {
    try {
      return new Set(z.array(z.string()).parse(JSON.parse(await readFile(this.#equalPath(id), 'utf8'))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
      throw error;
    }
  }

  /** Deletes the stored lists of files of a transfer. Does nothing if there are none. */
  async forgetLists(id: string): Promise<void> {
    for (const path of [this.#chosenPath(id), this.#equalPath(id)]) await rm(path, { force: true });
  }

  async #write(): Promise<void> {
    const snapshot = this.#snapshot;
    this.#snapshot = null;
    if (snapshot === null) return;
    const startedAt = Date.now();
    try {
      await writeFileAtomic(this.#path, JSON.stringify(snapshot()), { mode: 0o600, fsync: true });
    } catch (error) {
      this.#log.error({ err: error, path: this.#path }, 'the transfer queue could not be written');
    }
    this.#restMs = Math.max(WRITE_EVERY_MS, (Date.now() - startedAt) * REST_FACTOR);
  }

  get #path(): string {
    return join(this.#folder, 'queue.json');
  }

  #chosenPath(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #equalPath(id: string): string {
    return join(this.#folder, `${id}.equal.json`);
  }
}

/** @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE */
async function writeList(path: string, list: readonly unknown[]): Promise<void> {
  try {
    await writeFileAtomic(path, JSON.stringify(list), { mode: 0o600 });
  } catch (error) {
    throw toLocalError(error, path);
  }
}
