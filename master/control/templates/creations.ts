import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { CreationNote } from '#master/store/creation-note.ts';
import { checkedDocument, documentTitle } from '#master/store/document-store.ts';
import type { NewFile } from '#master/templates/template-files.ts';

/** A template to create, with the files of its folder. */
export interface NewTemplate {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  readonly files: readonly NewFile[];
}

/** Creates templates. One creation runs at a time per id, because copying files takes time. */
export class Creations {
  readonly #context: Pick<Documents, 'config' | 'templates' | 'overrides'>;
  readonly #note: CreationNote;
  readonly #making = new Set<TemplateId>();
  /** Whether a creation of several templates is in progress. Only one runs at a time. */
  #isCreatingSeveral = false;

  constructor(context: Pick<Documents, 'config' | 'templates' | 'overrides'>, note: CreationNote) {
    this.#context = context;
    this.#note = note;
  }

  /**
   * Creates a template. Its folder is empty, or keeps the files that are already in it.
   *
   * @throws OverworldError TEMPLATE_EXISTS, CONFIG_FAULTY, DISK_FULL, DATA_FOLDER_UNSAFE, TEMPLATE_UNREADABLE;
   *   nothing is created then
   */
  async create(id: TemplateId, config: unknown): Promise<void> {
    const { config: documents, templates } = this.#context;
    await this.#exclusively([id], async () => {
      await this.#note.remove([id]);
      await this.#forgetEarlier(id);
      await documents.createTemplate(id, config);
      try {
        await templates.create(id);
      } catch (error) {
        // No files can be uploaded without a folder, so the document is removed again.
        await documents.removeTemplate(id);
        throw error;
      }
    });
  }

  /**
   * Creates template `to` with the values of `from`.
   *
   * @param files whether to copy the files of `from`; otherwise the new folder is empty, or keeps the files in it
   * @throws OverworldError TEMPLATE_NOT_FOUND, TEMPLATE_EXISTS, DISK_FULL, DATA_FOLDER_UNSAFE, TEMPLATE_UNREADABLE
   */
  async duplicate(from: TemplateId, to: TemplateId, files: boolean): Promise<void> {
    const { config: documents, templates } = this.#context;
    const values = documents.template(from).config;
    await this.#exclusively([to], async () => {
      await this.#note.remove([to]);
      // Files are copied before the document is written, because services must not start while their files are
      // being copied.
      if (files) await templates.duplicate(from, to);
      try {
        await this.#forgetEarlier(to);
        await documents.createTemplate(to, values);
      } catch (error) {
        if (files) await templates.remove(to);
        throw error;
      }
      await templates.create(to);
    });
  }

  /**
   * Creates all of the templates with their files, or none. Their services start only after all of them exist. If the
   * master is killed before that, its next start removes the incomplete templates (creation-note.ts).
   *
   * @throws OverworldError TEMPLATE_EXISTS, CONFIG_FAULTY, DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE; nothing is
   * created then. TEMPLATES_LEFT if some of them could not be removed again. TOO_MANY while another call runs
   */
  async createAll(list: readonly NewTemplate[]): Promise<void> {
    for (const { id, config } of list) checkedDocument(documentTitle(id), templateConfigSchema, config);
    const ids = list.map(({ id }) => id);
    await this.#exclusively(ids, async () => {
      if (this.#isCreatingSeveral) {
        throw new OverworldError('TOO_MANY', { what: 'creations of several templates at a time', limit: 1 });
      }
      this.#isCreatingSeveral = true;
      try {
        await this.#createNoted(list, ids);
      } finally {
        this.#isCreatingSeveral = false;
      }
    });
  }

  async #createNoted(list: readonly NewTemplate[], ids: readonly TemplateId[]): Promise<void> {
    const { config: documents, templates } = this.#context;
    // If the master is killed, its next start removes the folders of all ids in the note.
    for (const id of ids) await templates.requireUnused(id);
    const folders: TemplateId[] = [];
    let areWritten = false;
    try {
      await this.#note.add(ids);
      for (const { id, files } of list) {
        await templates.createWith(id, files);
        folders.push(id);
      }
      for (const id of ids) await this.#forgetEarlier(id);
      await documents.createTemplates(list);
      areWritten = true;
      await this.#note.remove(ids);
    } catch (error) {
      const left = await this.#undo(folders, areWritten ? ids : []);
      // Ids that stay in the note do no harm: a later creation with one of them removes it first.
      await this.#note.remove(ids.filter((id) => !left.has(id))).catch(() => undefined);
      if (left.size === 0) throw error;
      const { message } = toOverworldError(error);
      throw new OverworldError('TEMPLATES_LEFT', { why: message, left: [...left] }, error);
    }
  }

  /**
   * Removes the given folders and documents after a failed creation. Returns the templates whose folder or document
   * could not be removed.
   */
  async #undo(
    folders: readonly TemplateId[],
    documents: readonly TemplateId[],
  ): Promise<ReadonlySet<TemplateId>> {
    const { config, templates } = this.#context;
    const left = new Set<TemplateId>();
    const attempt = async (id: TemplateId, work: Promise<void>): Promise<void> => {
      await work.catch(() => left.add(id));
    };
    for (const id of documents) await attempt(id, config.removeTemplate(id));
    for (const id of folders) await attempt(id, templates.remove(id));
    return left;
  }

  /**
   * Removes stored requests for an earlier template with this id, such as its deletion, because they must not apply
   * to the new template.
   */
  async #forgetEarlier(id: TemplateId): Promise<void> {
    const { config, overrides } = this.#context;
    if (!config.templates.has(id)) await overrides.forgetTemplate(id);
  }

  /**
   * Runs one creation at a time per id. Otherwise a second caller would fail and then delete the folder of the first.
   */
  async #exclusively(ids: readonly TemplateId[], work: () => Promise<void>): Promise<void> {
    const seen = new Set<TemplateId>();
    for (const id of ids) {
      if (seen.has(id) || this.#making.has(id) || this.#context.config.templates.has(id)) {
        throw new OverworldError('TEMPLATE_EXISTS', { template: id });
      }
      seen.add(id);
    }
    for (const id of ids) this.#making.add(id);
    try {
      await work();
    } finally {
      for (const id of ids) this.#making.delete(id);
    }
  }
}
