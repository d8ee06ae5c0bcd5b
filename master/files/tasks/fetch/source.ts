import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';

/** A tree of files that is read piece by piece, such as the folder of a service on a node. Links are not followed. */
export interface FileSource {
  /** Lists one page of a folder, sorted by name, after the name `after`. Throws OverworldError. */
  list(folder: string, after: string | null): Promise<ServiceFiles>;
  /**
   * Reads a piece of a file; empty after its end. `bytes` is the current size of the whole file.
   *
   * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN
   */
  read(
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<{ readonly content: Buffer; readonly bytes: number; readonly changedAt: number }>;
}

/** Yields all entries of a folder, page by page. Throws what the source throws, and the signal's abort reason. */
export async function* entriesOf(
  source: Pick<FileSource, 'list'>,
  folder: string,
  signal?: AbortSignal,
): AsyncGenerator<ServiceFile> {
  for (let after: string | null = null; ;) {
    signal?.throwIfAborted();
    const { entries, more }: ServiceFiles = await source.list(folder, after);
    yield* entries;
    const last = entries.at(-1)?.name;
    if (!more || last === undefined) return;
    after = last;
  }
}
