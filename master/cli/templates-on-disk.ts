import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { readDocumentFile, type FileReading } from '#master/store/read-document.ts';

/** A template as it stands on disk, whether or not a master runs. */
export interface TemplateOnDisk {
  /** Name of its document without `.json`; may be no valid id. */
  readonly id: string;
  readonly validId: boolean;
  /** The document's path. */
  readonly path: string;
  readonly reading: FileReading<TemplateConfig>;
  /** Size of `server.jar`; null when there is none. */
  readonly jarBytes: number | null;
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
        jarBytes: await fileBytes(join(templates, id, 'server.jar')),
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

/** Size of a regular file; null when there is none at the path. */
async function fileBytes(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
