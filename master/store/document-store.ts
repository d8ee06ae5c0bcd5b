import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { checkDocument, type FieldProblem } from '#shared/config/document.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { tolerant } from '#shared/tolerant.ts';
import { diskError } from './disk-error.ts';
import { readDocumentFile, revisionOf } from './read-document.ts';
import { serialQueue } from './serial.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

/** State of a configuration document: the values in use, and the problems in the file. */
export interface DocumentState<T> {
  /**
   * The values in use. If the file is valid, they are its values. Otherwise they are the last valid values, or the
   * defaults if there never were any.
   */
  readonly config: T;
  /**
   * Identifies the text on disk. It changes with every edit, whether the text is valid or not. `absent` if there is
   * no file.
   */
  readonly revision: string;
  /** Problems in the file. Empty if the values of the file are in use. */
  readonly problems: readonly FieldProblem[];
  /** The text on disk while it is faulty, including its secrets. Null if it is valid, or cannot be read as text. */
  readonly faultyText: string | null;
}

/** Text of a document on disk, valid or faulty, and its revision. */
export interface DocumentText {
  readonly text: string;
  readonly revision: string;
}

export interface DocumentPlace<S extends z.ZodType> {
  /** Name of the document for use in sentences, for example `Template lobby`. */
  readonly title: string;
  readonly schema: S;
  readonly path: string;
  /** Path of a copy of the last valid text, for a master that starts while the file is faulty. */
  readonly lastGoodPath: string;
}

/** One configuration document on disk. Both the admin API and a person with an editor may change it. */
export class DocumentStore<S extends z.ZodType> {
  readonly #place: DocumentPlace<S>;
  #state: DocumentState<z.infer<S>>;
  /** Content of the file with the last valid text. Null if this file does not exist, or if its last write failed. */
  #kept: string | null;
  readonly #serialize = serialQueue();

  private constructor(place: DocumentPlace<S>, state: DocumentState<z.infer<S>>, kept: string | null) {
    this.#place = place;
    this.#state = state;
    this.#kept = kept;
  }

  /** Reads the document for the first time. Does not fail if the document is faulty. */
  static async open<S extends z.ZodType>(place: DocumentPlace<S>): Promise<DocumentStore<S>> {
    // The file may have been written by a newer master. It then has unknown keys, so this master considers it faulty.
    // But the copy has the same values, and unknown keys of the copy are ignored. So the values that this master
    // knows stay in use.
    const lastGood = await readDocumentFile(tolerant(place.schema), place.lastGoodPath);
    const config = lastGood.kind === 'ok' ? lastGood.value : place.schema.parse({});
    const kept = lastGood.kind === 'ok' ? toText(config) : null;
    const store = new DocumentStore(
      place,
      { config, revision: 'absent', problems: [], faultyText: null },
      kept,
    );
    await store.refresh();
    return store;
  }

  get state(): DocumentState<z.infer<S>> {
    return this.#state;
  }

  /**
   * Reads the file again, because a person may have edited it. If the file is faulty, the values in use stay
   * unchanged.
   *
   * @returns true if anything changed
   */
  refresh(): Promise<boolean> {
    return this.#serialize(() => this.#refresh());
  }

  /**
   * Reads the current text on disk, which may be newer than {@link DocumentStore.state}. Empty if there is no file.
   *
   * @throws OverworldError DOCUMENT_NOT_TEXT
   */
  async readText(): Promise<DocumentText> {
    const reading = await readDocumentFile(this.#place.schema, this.#place.path);
    if (reading.kind === 'absent') return { text: '', revision: 'absent' };
    const { text, revision } = reading;
    if (text !== null) return { text, revision };
    const why = reading.kind === 'faulty' ? (reading.problems[0]?.problem ?? '') : '';
    throw new OverworldError('DOCUMENT_NOT_TEXT', { document: this.#place.title, why });
  }

  /**
   * Replaces the document. Resolves once the new document is on disk. Changes nothing on failure.
   *
   * @param value anything; it is validated against the schema
   * @param basedOn the revision that the writer has seen; `null` for a document that must not exist yet
   * @param onEdit called if a person has edited the file since it was last read, even if the write then fails
   * @throws OverworldError CONFIG_FAULTY, CONFIG_CONFLICT, DISK_FULL, DATA_FOLDER_UNSAFE
   */
  write(
    value: unknown,
    basedOn: string | null,
    onEdit: () => void = () => undefined,
  ): Promise<DocumentState<z.infer<S>>> {
    return this.#serialize(async () => {
      if (await this.#refresh()) onEdit();
      const expected = basedOn ?? 'absent';
      if (this.#state.revision !== expected) {
        const current = this.#state.revision;
        throw new OverworldError('CONFIG_CONFLICT', {
          document: this.#place.title,
          basedOn: expected,
          current,
        });
      }
      const config = checkedDocument(this.#place.title, this.#place.schema, value);
      const text = toText(config);
      await writeDurably(this.#place.path, text).catch((error: unknown) => {
        throw diskError(this.#place.path, error);
      });
      await this.#accept(config, revisionOf(text));
      return this.#state;
    });
  }

  /** Deletes the document and the copy of its last valid text. */
  remove(): Promise<void> {
    return this.#serialize(async () => {
      await rm(this.#place.path, { force: true });
      await rm(this.#place.lastGoodPath, { force: true });
      await syncFolder(dirname(this.#place.path));
    });
  }

  async #refresh(): Promise<boolean> {
    const before = this.#state;
    const reading = await readDocumentFile(this.#place.schema, this.#place.path);
    const revision = reading.kind === 'absent' ? 'absent' : reading.revision;
    if (revision === before.revision) {
      if (before.problems.length === 0 && revision !== 'absent') await this.#keep();
      return false;
    }
    if (reading.kind === 'ok') await this.#accept(reading.value, revision);
    else {
      const { problems, text } = reading.kind === 'faulty' ? reading : { problems: [], text: null };
      this.#state = { ...before, revision, problems, faultyText: text };
    }
    return true;
  }

  async #accept(config: z.infer<S>, revision: string): Promise<void> {
    this.#state = { config, revision, problems: [], faultyText: null };
    await this.#keep();
  }

  /**
   * Stores a copy of the valid text, for a master that starts while the file is faulty. A failure (full disk) does
   * not make the change itself fail, because the document is already on disk and in use. The next refresh tries
   * again.
   */
  async #keep(): Promise<void> {
    const text = toText(this.#state.config);
    if (text === this.#kept) return;
    try {
      await writeDurably(this.#place.lastGoodPath, text);
      this.#kept = text;
    } catch {
      this.#kept = null;
    }
  }
}

/**
 * Returns the name of a document for use in sentences.
 *
 * @param template null for the master configuration
 */
export function documentTitle(template: string | null): string {
  return template === null ? 'The master configuration' : `Template ${template}`;
}

/**
 * Validates a document and fills in its defaults. The result is the same as after saving the document.
 *
 * @throws OverworldError CONFIG_FAULTY with all problems
 */
export function checkedDocument<S extends z.ZodType>(title: string, schema: S, value: unknown): z.infer<S> {
  const reading = checkDocument(schema, value);
  if (reading.kind === 'ok') return reading.value;
  throw new OverworldError('CONFIG_FAULTY', { document: title, problems: reading.problems });
}

function toText(config: unknown): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
