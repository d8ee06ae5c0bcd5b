import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';

/**
 * A tree of files that is read piece by piece, such as the folder of a service on a node. Links in it are not
 * followed.
 */
export interface FileSource {
  /**
   * Lists one page of a folder, sorted by name (UTF-16 units). The page begins after the name `after`. Throws
   * OverworldError.
   */
  list(folder: string, after: string | null): Promise<ServiceFiles>;
  /**
   * Reads a piece of a file. The content is empty after the end of the file. `bytes` is the current size of the whole
   * file.
   *
   * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN
   */
  read(
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<{ readonly content: Buffer; readonly bytes: number; readonly changedAt: number }>;
}

/** Maximum number of pages of one folder, so that a hostile node cannot list a folder without end. */
const MAX_PAGES = 1_000;

/**
 * Yields all entries of a folder, page by page, with names in ascending order.
 *
 * @param signal stops the list before the next page
 * @throws OverworldError FILE_FORBIDDEN (the names do not ascend, or there are more than 1,000 pages); whatever the
 *   source throws; the signal's abort reason
 */
export async function* entriesOf(
  source: Pick<FileSource, 'list'>,
  folder: string,
  signal?: AbortSignal,
): AsyncGenerator<ServiceFile> {
  let after: string | null = null;
  for (let pages = 1; ; pages++) {
    signal?.throwIfAborted();
    const before: string | null = after;
    const { entries, more }: ServiceFiles = await source.list(folder, after);
    signal?.throwIfAborted();
    for (const entry of entries) {
      if (after !== null && entry.name <= after) throw unlisted(folder, 'its node does not list it in order');
      after = entry.name;
      yield entry;
    }
    if (!more || after === before) return;
    if (pages === MAX_PAGES) throw unlisted(folder, `its list has more than ${MAX_PAGES} pages`);
  }
}

function unlisted(folder: string, why: string): OverworldError {
  return new OverworldError('FILE_FORBIDDEN', { path: folder === '' ? '/' : folder, why });
}
