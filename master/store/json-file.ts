import { open, type FileHandle } from 'node:fs/promises';
import { Low, type Adapter } from 'lowdb';
import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { tolerant } from '#shared/tolerant.ts';
import { diskError } from './disk-error.ts';
import { serialQueue } from './serial.ts';
import { writeDurably } from './write-durably.ts';

/** Adapter of lowdb with an additional guarantee: data survives a power failure once `write` has resolved. */
class DurableAdapter<T> implements Adapter<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;

  constructor(path: string, schema: z.ZodType<T>) {
    this.#path = path;
    // A newer master may have written additional keys. They are preserved in the parts of the document that are not
    // replaced.
    this.#schema = tolerant(schema, 'keep');
  }

  async read(): Promise<T | null> {
    const text = await readText(this.#path);
    if (text === null) return null;
    try {
      return this.#schema.parse(JSON.parse(text));
    } catch (cause) {
      const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
      throw new OverworldError('DATA_FAULTY', { path: this.#path, why }, cause);
    }
  }

  async write(data: T): Promise<void> {
    await writeDurably(this.#path, `${JSON.stringify(data, null, 2)}\n`);
  }
}

/** Maximum size of a document (bytes). It is much more than any document has, and protects the master's memory. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads a document. Follows no link, and does not wait for the writer of a pipe, because an attacker may have placed
 * the link or the pipe.
 *
 * @returns null if the file does not exist
 * @throws OverworldError DATA_FAULTY if it is not a regular file of at most {@link MAX_BYTES}; errno errors
 */
async function readText(path: string): Promise<string | null> {
  const faulty = (why: string, cause?: unknown) => new OverworldError('DATA_FAULTY', { path, why }, cause);
  let file: FileHandle;
  try {
    file = await open(path, READ_ONLY_FILE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw code === 'ELOOP' ? faulty('it is a symbolic link; replace it with the file itself', error) : error;
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw faulty('it is not a regular file');
    if (stats.size > MAX_BYTES) throw faulty(`it has ${stats.size} bytes, and may have at most ${MAX_BYTES}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * A small JSON document on disk that only one process writes. It is read when it is opened, and again on request.
 * Changes are made through {@link JsonFile.update}.
 */
export interface JsonFile<T> {
  readonly data: Readonly<T>;
  /**
   * Applies a change and resolves once it is on disk. Changes run one after the other. If the write fails, the data
   * in memory stays unchanged.
   *
   * @param change returns the new document, or the same object to change nothing; if it throws, nothing changes
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  update(change: (data: Readonly<T>) => T): Promise<void>;
  /**
   * Reads the file again, because a person may have edited it. If the file is missing, nothing changes.
   *
   * @param check throws if the new content must not be used
   * @returns the data before and after the call. No change by {@link JsonFile.update} happens in between
   * @throws OverworldError DATA_FAULTY if the file does not match the schema, and errors of `check`; the data stays
   *   unchanged then
   */
  reread(
    check: (data: Readonly<T>, before: Readonly<T>) => void,
  ): Promise<{ readonly before: Readonly<T>; readonly after: Readonly<T> }>;
}

/**
 * Opens a JSON document of the master (state, keys). If the file does not exist, the data is `initial`, and the first
 * change creates the file. Keys that only a newer master knows are ignored, so that an older master can read a file
 * of a newer one.
 *
 * @throws OverworldError DATA_FAULTY if the file does not match the schema; the file is not changed
 */
export async function openJsonFile<T>(path: string, schema: z.ZodType<T>, initial: T): Promise<JsonFile<T>> {
  const adapter = new DurableAdapter(path, schema);
  const db = new Low<T>(adapter, initial);
  await db.read();
  const serialize = serialQueue();
  return {
    get data() {
      return db.data;
    },
    update(change) {
      return serialize(async () => {
        const before = db.data;
        const after = change(before);
        if (after === before) return;
        db.data = after;
        try {
          await db.write();
        } catch (error) {
          db.data = before;
          throw diskError(path, error);
        }
      });
    },
    reread(check) {
      return serialize(async () => {
        const before = db.data;
        const after = (await adapter.read()) ?? before;
        check(after, before);
        db.data = after;
        return { before, after };
      });
    },
  };
}
