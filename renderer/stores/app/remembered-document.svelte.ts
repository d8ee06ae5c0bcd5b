import type { z } from 'zod';
import { request } from '../../bridge/bridge.ts';

/** Maximum length of a stored text (characters). It is the limit of `app.remember`. */
const MAX_LENGTH = 4096;

/** A setting with several parts that are stored together across restarts: a table's columns, the open tabs. */
export class RememberedDocument<T> {
  value: T;
  readonly #keyOf: () => string;
  readonly #schema: z.ZodType<T>;
  #restoring: Promise<void> | null = null;
  #chosen = false;

  /** @param keyOf returns the key under which the setting is stored */
  constructor(keyOf: () => string, schema: z.ZodType<T>, first: T) {
    this.#keyOf = keyOf;
    this.#schema = schema;
    this.value = $state.raw(first);
  }

  /**
   * Loads the stored value at the first call. Ignores the stored value if the person has already chosen another one.
   * Call this function where the setting is first shown.
   */
  readonly restore = (): Promise<void> => {
    this.#restoring ??= this.#read();
    return this.#restoring;
  };

  readonly set = (value: T): void => {
    this.#chosen = true;
    this.value = value;
    const text = JSON.stringify(value);
    // A failure is ignored: the next start only uses an older value.
    if (text.length <= MAX_LENGTH) {
      request('app.remember', { key: this.#keyOf(), value: text }).catch(() => undefined);
    }
  };

  async #read(): Promise<void> {
    const key = this.#keyOf();
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    const text = memory[key];
    if (text === undefined || this.#chosen) return;
    const kept = this.#schema.safeParse(parseJson(text));
    // A stored value that does not match the schema is ignored, for example the value of an older version.
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
