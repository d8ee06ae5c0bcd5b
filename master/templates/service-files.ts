import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DefaultFileProblem, listDefaultFiles } from './default-files/default-files.ts';
import { diskCode } from './disk-problem.ts';
import { openWithoutLinks } from './links.ts';
import type { TemplateFolders } from './template-files.ts';

/**
 * Identifies the files that the services of a template get: the template, a revision, and the default service
 * files.
 */
export interface TemplateSource {
  readonly id: TemplateId;
  readonly revision: string;
  readonly defaultServiceFiles: readonly FileEntry[];
}

/** Where the files of a service are stored on the master. */
export interface FilePlaces {
  readonly templates: Pick<TemplateFolders, 'lease'>;
  /** Folder of the shared files, `<data>/files`. */
  readonly sharedFiles: string;
}

/** Returns the path on the master for a path in the service's folder; null if the service has no such file. */
type SourceOf = (path: string) => string | null;

/**
 * Calls `use` with a function that finds a service's files. Default service files replace the revision's files of the
 * same paths. Default service files that cannot be read count as missing.
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

/** Size limit of a text file (bytes). Configuration that people write is smaller. */
const MAX_TEXT_BYTES = 131_072;

/**
 * Reads a text file of a service as latin1. Returns null if it does not exist, cannot be read, or has more than 128
 * KiB.
 */
export async function readServiceFile(
  source: TemplateSource,
  path: string,
  places: FilePlaces,
): Promise<string | null> {
  try {
    return await withServiceFiles(source, places, async (sourceOf) => {
      const place = sourceOf(path);
      const file = place === null ? null : await openWithoutLinks(place);
      if (file === null) return null;
      try {
        return (await file.stat()).size > MAX_TEXT_BYTES ? null : await file.readFile('latin1');
      } finally {
        await file.close();
      }
    });
  } catch (error) {
    if (error instanceof OverworldError || diskCode(error) !== undefined) return null;
    throw error;
  }
}
