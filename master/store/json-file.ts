import { readFile } from 'node:fs/promises';
import { Low, type Adapter } from 'lowdb';
import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskError } from './disk-error.ts';
import { serialQueue } from './serial.ts';
import { writeDurably } from './write-durably.ts';

/** A lowdb adapter with a guarantee that lowdb's own lacks: after `write` the data survives a power failure. */
class DurableAdapter<T> implements Adapter<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;

  constructor(path: string, schema: z.ZodType<T>) {
    this.#path = path;
    this.#schema = schema;
  }

  async read(): Promise<T | null> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
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

/** A small JSON document on disk with one writer. It is read once and changed through {@link JsonFile.update}. */
export interface JsonFile<T> {
  readonly data: Readonly<T>;
  /**
   * Applies a change and resolves once it is on disk. Changes run one after the other. If the write fails, the data
   * in memory stays unchanged and the error is thrown.
   *
   * @param change returns the new document; if it throws, nothing changes
   */
  update(change: (data: Readonly<T>) => T): Promise<void>;
}

/**
 * Opens a JSON document of the master (state, keys), or creates it with `initial` if it does not exist.
 *
 * @throws OverworldError DATA_FAULTY if it does not match the schema; the file is not changed
 */
export async function openJsonFile<T>(path: string, schema: z.ZodType<T>, initial: T): Promise<JsonFile<T>> {
  const db = new Low<T>(new DurableAdapter(path, schema), initial);
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
  };
}
