import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import type { DataFolder } from './data-folder.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

const noteSchema = z.object({ templates: z.array(templateIdSchema) });

/**
 * A file that lists the templates that are being created together. If the master is killed before all of them exist,
 * its next start removes those that already exist.
 */
export class CreationNote {
  readonly #path: string;

  constructor(state: string) {
    this.#path = notePath(state);
  }

  /** Writes the note. Call it before any file of these templates exists. Throws errno errors. */
  async begin(templates: readonly TemplateId[]): Promise<void> {
    await writeDurably(this.#path, `${JSON.stringify({ templates })}\n`);
  }

  /** Removes the note. Needs no space on the disk. Throws errno errors. */
  async end(): Promise<void> {
    await rm(this.#path, { force: true });
    await syncFolder(dirname(this.#path));
  }
}

/**
 * Removes the templates whose creation a killed master has not finished. Call it before their documents are read, so
 * that no service starts from them.
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
  if (!existsSync(path)) return [];
  const text = await readFile(path, 'utf8');
  const note = noteSchema.parse(JSON.parse(text));
  for (const id of note.templates) {
    await rm(join(folder.config, 'templates', `${id}.json`), { force: true });
    await rm(join(folder.state, 'last-good', 'templates', `${id}.json`), { force: true });
    await removeFolder(id);
    await rm(join(folder.revisions, id), { recursive: true, force: true });
  }
  await rm(path, { force: true });
  return note.templates;
}

function notePath(state: string): string {
  return join(state, 'creating-templates.json');
}
