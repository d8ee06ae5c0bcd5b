import { readFile, stat } from 'node:fs/promises';
import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DefaultFileProblem, listDefaultFiles } from './default-files/default-files.ts';
import { diskCode } from './disk-problem.ts';
import type { TemplateFolders } from './template-files.ts';

/** Of a template: the files that its services get. */
export interface TemplateSource {
  readonly id: TemplateId;
  readonly revision: string;
  readonly defaultServiceFiles: readonly FileEntry[];
}

/** Where these files lie on the master. */
export interface FilePlaces {
  readonly templates: Pick<TemplateFolders, 'lease'>;
  /** `<data>/files` */
  readonly sharedFiles: string;
}

/** Path in the service's folder → where the master has the file. */
type SourceOf = (path: string) => string | null;

/**
 * Calls back with where the files of a service lie: those of the revision, and default service files over them. Default
 * service files that cannot be read count as not there.
 *
 * @throws OverworldError REVISION_NOT_FOUND, TEMPLATE_UNREADABLE
 */
export async function withServiceFiles<T>(
  { id, revision, defaultServiceFiles }: TemplateSource,
  { templates, sharedFiles }: FilePlaces,
  use: (sourceOf: SourceOf) => Promise<T>,
): Promise<T> {
  const lease = await templates.lease(id, revision);
  try {
    const sources = new Map(lease.entries.map(({ path }) => [path, lease.pathOf(path)]));
    const over = await listDefaultFiles(defaultServiceFiles, sharedFiles).catch((error: unknown) => {
      if (error instanceof DefaultFileProblem) return [];
      throw error;
    });
    for (const { path, source } of over) sources.set(path, source);
    return await use((path) => sources.get(path) ?? null);
  } finally {
    lease.release();
  }
}

/** Larger files are no configuration that anybody wrote. */
const MAX_TEXT_BYTES = 131_072;

/** Reads a small text of a service's files, one letter per byte. Null when there is none, or it cannot be read now. */
export async function readServiceFile(
  source: TemplateSource,
  path: string,
  places: FilePlaces,
): Promise<string | null> {
  try {
    return await withServiceFiles(source, places, async (sourceOf) => {
      const file = sourceOf(path);
      if (file === null || (await stat(file)).size > MAX_TEXT_BYTES) return null;
      return await readFile(file, 'latin1');
    });
  } catch (error) {
    if (error instanceof OverworldError || diskCode(error) !== undefined) return null;
    throw error;
  }
}
