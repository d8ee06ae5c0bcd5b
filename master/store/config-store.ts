import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { watchFolder, type FolderWatch } from '#shared/node/watch-folder.ts';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import { documentTitle, DocumentStore, type DocumentState, type DocumentText } from './document-store.ts';
import { serialQueue } from './serial.ts';

export type MasterDocument = DocumentStore<typeof masterConfigSchema>;
export type TemplateDocument = DocumentStore<typeof templateConfigSchema>;

/**
 * A change of a configuration document on disk: which document it is, and its new state. A removed document has no
 * state.
 */
export type ConfigChange =
  | { readonly kind: 'master'; readonly state: DocumentState<MasterConfig> }
  | { readonly kind: 'template'; readonly id: TemplateId; readonly state: DocumentState<TemplateConfig> }
  | { readonly kind: 'template removed'; readonly id: TemplateId };

/**
 * How a document was changed. `by hand`: a person edited the file. `by request`: the master wrote the file at the
 * request of a client.
 */
type How = 'by hand' | 'by request';

/** Called after each change. */
export type ChangeListener = (change: ConfigChange, how: How) => void;

/**
 * Delay between a change in a folder and the reading of its files (ms). Several changes within this time cause only
 * one read.
 */
const SETTLE_MS = 50;

/** Opens the master configuration of a data folder. Does not fail if the document is faulty. */
export function openMasterDocument(dataFolder: string): Promise<MasterDocument> {
  return DocumentStore.open({
    title: documentTitle(null),
    schema: masterConfigSchema,
    path: join(dataFolder, 'config/master.json'),
    lastGoodPath: join(dataFolder, 'state/last-good/master.json'),
  });
}

/** All configuration documents of a master: `config/master.json` and `config/templates/<id>.json`. */
export class ConfigStore {
  readonly #folder: string;
  readonly #lastGood: string;
  readonly #templates = new Map<TemplateId, TemplateDocument>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #onError: (error: unknown) => void;
  #folderWatcher: FolderWatch | null = null;
  /** Null if `config/templates` may have been replaced by another folder. The next read then watches this folder. */
  #templatesWatcher: FolderWatch | null = null;
  /** Timer of the next read. Null if none is scheduled. */
  #due: NodeJS.Timeout | null = null;
  #closed = false;
  /** Runs one change or read at a time. Otherwise a read that started before a change could undo it. */
  readonly #serialize = serialQueue();
  #master!: MasterDocument;

  private constructor(dataFolder: string, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#folder = join(dataFolder, 'config');
    this.#lastGood = join(dataFolder, 'state', 'last-good');
  }

  /**
   * Reads all documents, and watches them for edits by hand. Faulty documents do not make the call fail: their
   * problems are part of their state.
   *
   * @param onError called when reading the disk has failed; the next read tries again
   */
  static async open(dataFolder: string, onError: (error: unknown) => void): Promise<ConfigStore> {
    await mkdir(join(dataFolder, 'config', 'templates'), { recursive: true, mode: 0o700 });
    const store = new ConfigStore(dataFolder, onError);
    // The documents are read after the watch has started, so that no edit in between is missed.
    store.#watchFolder();
    store.#watchTemplates();
    store.#master = await openMasterDocument(dataFolder);
    for (const id of await store.#idsOnDisk()) store.#templates.set(id, await store.#openTemplate(id));
    return store;
  }

  get master(): DocumentState<MasterConfig> {
    return this.#master.state;
  }

  /** All templates by id, in no particular order. */
  get templates(): ReadonlyMap<TemplateId, { readonly state: DocumentState<TemplateConfig> }> {
    return this.#templates;
  }

  /**
   * Returns the state of a template's document.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND
   */
  template(id: TemplateId): DocumentState<TemplateConfig> {
    return this.#document(id).state;
  }

  /** Calls the listener after each change of a document. @returns a function that unsubscribes */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the text of `master.json` on disk, including secrets.
   *
   * @throws OverworldError DOCUMENT_NOT_TEXT
   */
  masterText(): Promise<DocumentText> {
    return this.#upToDate(() => this.#master.readText());
  }

  /**
   * Returns the text of a template's document on disk.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND, DOCUMENT_NOT_TEXT
   */
  templateText(id: TemplateId): Promise<DocumentText> {
    return this.#upToDate(() => this.#document(id).readText());
  }

  /**
   * Writes the master configuration.
   *
   * @param basedOn revision that the writer has seen; `absent` if there was no file
   * @throws OverworldError CONFIG_FAULTY, CONFIG_CONFLICT, DISK_FULL, DATA_FOLDER_UNSAFE
   */
  writeMaster(value: unknown, basedOn: string): Promise<DocumentState<MasterConfig>> {
    return this.#serialize(async () => {
      const seen = basedOn === 'absent' ? null : basedOn;
      const state = await this.#master.write(value, seen, () => this.#emitMaster('by hand'));
      this.#emitMaster('by request');
      return state;
    });
  }

  /**
   * Creates a template's document.
   *
   * @throws OverworldError TEMPLATE_EXISTS, CONFIG_FAULTY, CONFIG_CONFLICT (a person has just created the file),
   *   DISK_FULL, DATA_FOLDER_UNSAFE
   */
  async createTemplate(id: TemplateId, value: unknown): Promise<DocumentState<TemplateConfig>> {
    await this.createTemplates([{ id, config: value }]);
    return this.template(id);
  }

  /**
   * Creates the documents of several templates: all of them, or none. All of them come into use at the same moment,
   * so that no service starts before all are on disk.
   *
   * @throws as {@link createTemplate}
   */
  createTemplates(list: readonly { readonly id: TemplateId; readonly config: unknown }[]): Promise<void> {
    return this.#serialize(async () => {
      const written: { readonly id: TemplateId; readonly document: TemplateDocument }[] = [];
      try {
        for (const { id, config } of list) {
          if (this.#templates.has(id)) throw new OverworldError('TEMPLATE_EXISTS', { template: id });
          const document = await this.#openTemplate(id);
          await document.write(config, null);
          written.push({ id, document });
        }
      } catch (error) {
        for (const { document } of written) await document.remove();
        throw error;
      }
      for (const { id, document } of written) this.#templates.set(id, document);
      for (const { id, document } of written) {
        this.#emitTemplate(id, document, 'by request');
      }
    });
  }

  /**
   * Writes a template's document.
   *
   * @param basedOn revision that the writer has seen
   * @throws OverworldError TEMPLATE_NOT_FOUND, CONFIG_FAULTY, CONFIG_CONFLICT, DISK_FULL, DATA_FOLDER_UNSAFE
   */
  writeTemplate(id: TemplateId, value: unknown, basedOn: string): Promise<DocumentState<TemplateConfig>> {
    return this.#serialize(async () => {
      const document = this.#document(id);
      const state = await document.write(value, basedOn, () => {
        // The removal of the file is reported by the read that also removes the template.
        if (document.state.revision !== 'absent') this.#emitTemplate(id, document, 'by hand');
      });
      this.#emitTemplate(id, document, 'by request');
      return state;
    });
  }

  /**
   * Removes a template's document.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND
   */
  removeTemplate(id: TemplateId): Promise<void> {
    return this.#serialize(async () => {
      const document = this.#document(id);
      await document.remove();
      this.#templates.delete(id);
      this.#emit({ kind: 'template removed', id }, 'by request');
    });
  }

  /** Reads all documents again, and reports changed ones to the listeners. May be called at any time. */
  refresh(): Promise<void> {
    return this.#serialize(() => this.#refresh());
  }

  /**
   * Refreshes the documents before it reads a text, so that the text and the document in memory have the same
   * revision.
   */
  #upToDate<T>(read: () => Promise<T>): Promise<T> {
    return this.#serialize(async () => {
      await this.#refresh();
      return read();
    });
  }

  async #refresh(): Promise<void> {
    if (await this.#master.refresh()) this.#emitMaster('by hand');
    this.#watchTemplates();
    const onDisk = new Set(await this.#idsOnDisk());
    for (const id of onDisk) {
      const known = this.#templates.get(id);
      const document = known ?? (await this.#openTemplate(id));
      if (known === undefined) this.#templates.set(id, document);
      if ((await document.refresh()) || known === undefined) {
        this.#emitTemplate(id, document, 'by hand');
      }
    }
    for (const id of this.#templates.keys()) {
      if (onDisk.has(id)) continue;
      this.#templates.delete(id);
      this.#emit({ kind: 'template removed', id }, 'by hand');
    }
  }

  /**
   * Ends the watch. A read in progress continues, but its errors are not reported, because the folder may already be
   * removed.
   */
  close(): void {
    this.#closed = true;
    if (this.#due !== null) clearTimeout(this.#due);
    this.#folderWatcher?.close();
    this.#templatesWatcher?.close();
  }

  /** Schedules a read after each change in `config`. */
  #watchFolder(): void {
    const onChange = (name: string | null): void => {
      // A watcher stays with its folder, even if this folder is moved or removed and another folder gets its name.
      // Inode numbers do not show such a change reliably, because a new folder may get the number of a removed one.
      if (name === null || name === 'templates') {
        this.#templatesWatcher?.close();
        this.#templatesWatcher = null;
      }
      this.#scheduleRead();
    };
    this.#folderWatcher = watchFolder(this.#folder, onChange, (error) => this.#report(error));
  }

  /** Schedules a read after each change in `config/templates`. @throws errno errors, such as ENOENT */
  #watchTemplates(): void {
    if (this.#closed) return;
    this.#templatesWatcher ??= watchFolder(
      join(this.#folder, 'templates'),
      () => this.#scheduleRead(),
      (error) => this.#report(error),
    );
  }

  /** Schedules a read. Several changes cause one read. */
  #scheduleRead(): void {
    if (this.#closed) return;
    this.#due ??= setTimeout(() => {
      this.#due = null;
      this.refresh().catch((error: unknown) => this.#report(error));
    }, SETTLE_MS);
  }

  #report(error: unknown): void {
    if (!this.#closed) this.#onError(error);
  }

  #document(id: TemplateId): TemplateDocument {
    const document = this.#templates.get(id);
    if (document === undefined) throw new OverworldError('TEMPLATE_NOT_FOUND', { template: id });
    return document;
  }

  #openTemplate(id: TemplateId): Promise<TemplateDocument> {
    return DocumentStore.open({
      title: documentTitle(id),
      schema: templateConfigSchema,
      path: this.#templatePath(id),
      lastGoodPath: join(this.#lastGood, 'templates', `${id}.json`),
    });
  }

  #templatePath(id: TemplateId): string {
    return join(this.#folder, 'templates', `${id}.json`);
  }

  async #idsOnDisk(): Promise<TemplateId[]> {
    const names = await readdir(join(this.#folder, 'templates'));
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((id) => templateIdSchema.safeParse(id).success)
      .sort();
  }

  #emitMaster(how: How): void {
    this.#emit({ kind: 'master', state: this.#master.state }, how);
  }

  #emitTemplate(id: TemplateId, { state }: TemplateDocument, how: How): void {
    this.#emit({ kind: 'template', id, state }, how);
  }

  #emit(change: ConfigChange, how: How): void {
    for (const listener of this.#listeners) listener(change, how);
  }
}
