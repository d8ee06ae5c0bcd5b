import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { readDocumentFile, type FileReading } from '#master/store/read-document.ts';
import { examineFolder, type FolderContent } from '#master/templates/folder-content.ts';

/** A template as it stands on disk, whether or not a master runs. */
export interface TemplateOnDisk {
  /** Name of its document without `.json`; may be no valid id. */
  readonly id: string;
  readonly validId: boolean;
  /** The document's path. */
  readonly path: string;
  readonly reading: FileReading<TemplateConfig>;
  /** What services would be started from. */
  readonly content: FolderContent;
}

/** Reads all template documents, sorted by id. */
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

/** Names in a folder; none when there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
