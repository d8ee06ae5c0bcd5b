import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { readDocumentFile, type FileReading } from '#master/store/read-document.ts';
import { examineFolder, type FolderContent } from '#master/templates/folder-content.ts';

/** A template as its files on disk describe it, whether or not a master is running. */
export interface TemplateOnDisk {
  /** Name of the template's document without `.json`. The name may be an invalid id. */
  readonly id: string;
  readonly validId: boolean;
  /** Path of the document. */
  readonly path: string;
  readonly reading: FileReading<TemplateConfig>;
  /** Content of the template's folder, from which services would start. */
  readonly content: FolderContent;
}

/** Reads all template documents and returns them sorted by id. */
export async function readTemplates(dataFolder: string): Promise<TemplateOnDisk[]> {
  const { config, templates } = dataFolderAt(dataFolder);
  const folder = join(config, 'templates');
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => {
      const id = name.slice(0, -'.json'.length);
      const path = join(folder, name);
      return {
        id,
        validId: templateIdSchema.safeParse(id).success,
        path,
        reading: await readDocumentFile(templateConfigSchema, path),
        content: await examineFolder(join(templates, id)),
      };
    }),
  );
}

/** Returns the names in a folder. Empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
