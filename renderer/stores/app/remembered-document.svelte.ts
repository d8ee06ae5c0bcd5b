import type { z } from 'zod';
import { request } from '../../bridge/bridge.ts';

/** Longest text that is kept, in characters (`app.remember`). */
const MAX_LENGTH = 4096;

/** A choice with several parts that is kept over restarts as one: the columns of a table, open tabs. */
export class RememberedDocument<T> {
  value: T;
  readonly #key: string;
  readonly #schema: z.ZodType<T>;
  #restoring: Promise<void> | null = null;
  #chosen = false;

  constructor(key: string, schema: z.ZodType<T>, first: T) {
    this.#key = key;
    this.#schema = schema;
    this.value = $state.raw(first);
  }

  /** Takes what was kept, once, unless the person has chosen in the meantime. Call where it is first shown. */
  readonly restore = (): Promise<void> => {
    this.#restoring ??= this.#read();
    return this.#restoring;
  };

  readonly set = (value: T): void => {
    this.#chosen = true;
    this.value = value;
    const text = JSON.stringify(value);
    // A choice that cannot be kept is only a small loss at the next start.
    if (text.length <= MAX_LENGTH) {
      request('app.remember', { key: this.#key, value: text }).catch(() => undefined);
    }
  };

  async #read(): Promise<void> {
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    const text = memory[this.#key];
    if (text === undefined || this.#chosen) return;
    const kept = this.#schema.safeParse(parseJson(text));
    // Kept by an older version, or damaged: then it begins as new.
    if (kept.success) this.value = kept.data;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
