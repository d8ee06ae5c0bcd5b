import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { checkDocument, type FieldProblem } from '#shared/config/document.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskError } from './disk-error.ts';
import { readDocumentFile, revisionOf } from './read-document.ts';
import { serialQueue } from './serial.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

/** A configuration document as it stands: what is in use, and what is wrong with the file. */
export interface DocumentState<T> {
  /** The values in use: those of the file; the last good ones while the file is faulty; else the defaults. */
  readonly config: T;
  /** Names the text on disk; changes with every edit, also a faulty one. `absent` when there is no file. */
  readonly revision: string;
  /** Empty when the file is in use. */
  readonly problems: readonly FieldProblem[];
  /** The text on disk while it is faulty: secrets in it are as they stand there. Null otherwise, or when it is no text. */
  readonly faultyText: string | null;
}

/** A document's text as it stands on disk, faulty or not, with the revision that names it. */
export interface DocumentText {
  readonly text: string;
  readonly revision: string;
}

export interface DocumentPlace<S extends z.ZodType> {
  /** How people call it in a sentence: "Template lobby". */
  readonly title: string;
  readonly schema: S;
  readonly path: string;
  /** Where the last good text is kept, for a master that starts while the file is faulty. */
  readonly lastGoodPath: string;
}

/** One configuration document on disk that both the admin API and a person with an editor may change. */
export class DocumentStore<S extends z.ZodType> {
  readonly #place: DocumentPlace<S>;
  #state: DocumentState<z.infer<S>>;
  /** The text of the last good copy on disk; null when there is none. */
  #kept: string | null;
  readonly #serialize = serialQueue();

  private constructor(place: DocumentPlace<S>, state: DocumentState<z.infer<S>>, kept: string | null) {
    this.#place = place;
    this.#state = state;
    this.#kept = kept;
  }

  /** Reads the document for the first time; never fails for a faulty one. */
  static async open<S extends z.ZodType>(place: DocumentPlace<S>): Promise<DocumentStore<S>> {
    const lastGood = await readDocumentFile(place.schema, place.lastGoodPath);
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
   * Reads the file again, as somebody may have edited it. A faulty one leaves the values in use as they are.
   *
   * @returns true when anything changed
   */
  refresh(): Promise<boolean> {
    return this.#serialize(() => this.#refresh());
  }

  /**
   * Reads the text on disk, which {@link DocumentStore.state} may not know yet. Empty when there is no file.
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
   * Replaces the document. Resolves once it is on disk.
   *
   * @param value anything; checked against the schema
   * @param basedOn the revision the writer has seen; `null` for a document that must not exist yet
   * @throws OverworldError CONFIG_FAULTY, CONFIG_CONFLICT, DISK_FULL, DATA_FOLDER_UNSAFE; then nothing has changed
   */
  write(value: unknown, basedOn: string | null): Promise<DocumentState<z.infer<S>>> {
    return this.#serialize(async () => {
      await this.#refresh();
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

  /** Deletes the document and its last good copy. */
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
   * Keeps a copy for a master that starts while the file is faulty. The document itself is on disk and in use by now,
   * so a copy that cannot be written (full disk) is no failure of the change: it is tried again at the next look.
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

/** How people call a document in a sentence. @param template null: the master configuration */
export function documentTitle(template: string | null): string {
  return template === null ? 'The master configuration' : `Template ${template}`;
}

/**
 * A document's typed value with all defaults filled in, as saving it would store it.
 *
 * @throws OverworldError CONFIG_FAULTY with everything wrong with it
 */
export function checkedDocument<S extends z.ZodType>(title: string, schema: S, value: unknown): z.infer<S> {
  const reading = checkDocument(schema, value);
  if (reading.kind === 'ok') return reading.value;
  throw new OverworldError('CONFIG_FAULTY', { document: title, problems: reading.problems });
}

function toText(config: unknown): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
