import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import type { DataFolder } from './data-folder.ts';
import { diskError } from './disk-error.ts';
import { serialQueue } from './serial.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

const noteSchema = z.object({ templates: z.array(templateIdSchema) });

/**
 * A file that lists the templates that are being created together, and the templates that an earlier, failed creation
 * could not remove. If the master is killed before a creation is complete, its next start removes the listed
 * templates that already exist.
 */
export class CreationNote {
  readonly #path: string;
  /** Runs one change at a time. Otherwise a change could undo another one. */
  readonly #serialize = serialQueue();

  constructor(state: string) {
    this.#path = notePath(state);
  }

  /**
   * Adds templates to the note. Call it before any file of these templates exists.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE; errno errors if the note cannot be read; ZodError or
   *   SyntaxError if a person edited it
   */
  add(templates: readonly TemplateId[]): Promise<void> {
    return this.#change((noted) => [...new Set([...noted, ...templates])]);
  }

  /**
   * Removes templates from the note, so that the next start of the master keeps them. Does nothing if the note does
   * not contain them. Needs no space on the disk if the note contains no other templates.
   *
   * @throws as {@link add}
   */
  remove(templates: readonly TemplateId[]): Promise<void> {
    return this.#change((noted) => noted.filter((id) => !templates.includes(id)));
  }

  #change(next: (noted: readonly TemplateId[]) => readonly TemplateId[]): Promise<void> {
    return this.#serialize(async () => {
      const before = await readNote(this.#path);
      const after = next(before);
      if (after.length === before.length) return;
      try {
        if (after.length > 0) {
          await writeDurably(this.#path, `${JSON.stringify({ templates: after })}\n`);
        } else {
          await rm(this.#path, { force: true });
          await syncFolder(dirname(this.#path));
        }
      } catch (error) {
        throw diskError(this.#path, error);
      }
    });
  }
}

/**
 * Removes the templates whose creation the previous run of the master has neither finished nor undone. Call it before
 * their documents are read, so that no service starts from them.
 *
 * @param removeFolder removes the folder of a template, if it exists
 * @returns the removed templates; empty if there is no note
 * @throws errno errors; ZodError or SyntaxError if a person edited the note
 */
export async function undoUnfinishedCreation(
  folder: DataFolder,
  removeFolder: (id: TemplateId) => Promise<void>,
): Promise<readonly TemplateId[]> {
  const path = notePath(folder.state);
  const templates = await readNote(path);
  for (const id of templates) {
    await rm(join(folder.config, 'templates', `${id}.json`), { force: true });
    await rm(join(folder.state, 'last-good', 'templates', `${id}.json`), { force: true });
    await removeFolder(id);
    await rm(join(folder.revisions, id), { recursive: true, force: true });
  }
  await rm(path, { force: true });
  return templates;
}

/** Returns the templates in the note. Empty if there is no note. */
async function readNote(path: string): Promise<readonly TemplateId[]> {
  if (!existsSync(path)) return [];
  return noteSchema.parse(JSON.parse(await readFile(path, 'utf8'))).templates;
}

function notePath(state: string): string {
  return join(state, 'creating-templates.json');
}
