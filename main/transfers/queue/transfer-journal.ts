import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { transferSchema } from '#shared/ipc/contract.ts';
import type { Log } from '../../log.ts';

/** Shortest time between two writes, in ms. What is lost in a crash is copied again: the marks are a lower bound. */
const WRITE_EVERY_MS = 1000;

/** A write may take at most this share of the time: a queue of ten thousand files is not written every second. */
const REST_FACTOR = 20;

const storedTransferSchema = z.object({
  transfer: transferSchema,
  policy: z.enum(['refuse', 'overwrite', 'newer', 'skip', 'resume']),
  /** True once it was begun: what is at the destination may be its own. */
  again: z.boolean(),
  /** Half-written files on the side that is written to → bytes that are whole. */
  parts: z.record(z.string(), z.int()),
  /** True when it copies only some files of a folder: they are in a file of its own. */
  chosen: z.boolean(),
  /** True when a move has compared all and takes its source away: those files are in a file of its own. */
  removing: z.boolean().default(false),
});
export type StoredTransfer = z.infer<typeof storedTransferSchema>;

const journalSchema = z.object({
  version: z.literal(1),
  transfers: z.array(storedTransferSchema),
  /** Half-written files on masters that could not be deleted yet, by connection profile. */
  leftovers: z.record(z.string(), z.array(z.string())),
});
export type JournalData = z.infer<typeof journalSchema>;

/** One file of a transfer, with what was seen on both sides when it was chosen to be copied, or compared after a move. */
export const chosenFileSchema = z.object({
  /** Below both paths, with `/`; empty: they are the file. */
  path: z.string(),
  source: z.object({ bytes: z.int(), modifiedAt: z.int() }),
  target: z.object({ bytes: z.int(), modifiedAt: z.int() }).nullable(),
});
export type ChosenFile = z.infer<typeof chosenFileSchema>;

/** The transfer queue on disk, so that it survives the app. One writer, bounded in rate, each write whole. */
export class TransferJournal {
  readonly #folder: string;
  readonly #log: Log;
  #snapshot: (() => JournalData) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #last: Promise<void> = Promise.resolve();
  #restMs = WRITE_EVERY_MS;

  /** @param folder of its own, in the app's data folder */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** What was written last. A faulty file is moved aside (`.broken`): it must not keep the app from starting. */
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
          'the transfer queue cannot be read; it begins empty',
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

  /** Something changed: it is written soon. @param snapshot is asked when it is written */
  note(snapshot: () => JournalData): void {
    this.#snapshot = snapshot;
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.flush(), this.#restMs);
    this.#timer.unref();
  }

  /** Writes what is new, now. A failure is logged: the queue goes on without its journal. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#last = this.#last.then(() => this.#write());
    await this.#last;
  }

  /** Keeps the files that a transfer is about when these are not all of a folder. */
  async writeChosen(id: string, files: readonly ChosenFile[]): Promise<void> {
    await writeFileAtomic(this.#chosenPath(id), JSON.stringify(files), { mode: 0o600 });
  }

  /** @throws Error when they are lost or faulty */
  async readChosen(id: string): Promise<ChosenFile[]> {
    return z.array(chosenFileSchema).parse(JSON.parse(await readFile(this.#chosenPath(id), 'utf8')));
  }

  async forgetChosen(id: string): Promise<void> {
    await rm(this.#chosenPath(id), { force: true });
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
}
