import { setTimeout as after } from 'node:timers/promises';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { Runtime } from '../runtime.ts';
import { chooseFiles, FOLDERS_OF_INTEREST } from './choose-files.ts';
import type { CollectedFile } from './kept-files.ts';

/**
 * Maximum time for collecting the files of one service (ms). Files that have not arrived by then are lost with the
 * folder.
 */
const COLLECT_MS = 10_000;

/**
 * Maximum number of pages that are read from the listing of one folder. Files on later pages are ignored, so that a
 * service with very many files cannot delay its own removal.
 */
const MAX_PAGES = 5;

/** Number of files that are read at the same time. */
const PARALLEL_FILES = 2;

export interface CollectOptions {
  readonly warn: (error: unknown) => void;
  /** Default: {@link COLLECT_MS}. */
  readonly withinMs?: number;
}

/**
 * Reads the crash reports and logs of an ended service, before its folder is removed. Returns the files that could be
 * read. Never throws, and takes at most `withinMs` (10 s by default), because files that a service has written must
 * not prevent its removal.
 */
export async function collectFiles(
  id: ServiceId,
  source: Pick<Runtime, 'listFiles' | 'readFile'>,
  { warn, withinMs = COLLECT_MS }: CollectOptions,
): Promise<readonly CollectedFile[]> {
  const found: (CollectedFile | undefined)[] = [];
  const late = new AbortController();
  const work = readAll(id, source, (at, file) => {
    if (!late.signal.aborted) found[at] = file;
  }).catch((error: unknown) => {
    // A service that failed before its first start has no folder.
    if (!hasCode(error, 'SERVICE_HAS_NO_FILES') && !late.signal.aborted) warn(error);
  });
  const timer = new AbortController();
  const timeout = after(withinMs, undefined, { signal: timer.signal, ref: false }).then(
    () => {
      late.abort();
      warn(new Error(`its crash reports and logs did not arrive within ${withinMs / 1000} s`));
    },
    () => undefined,
  );
  await Promise.race([work, timeout]);
  timer.abort();
  return found.filter((file) => file !== undefined);
}

async function readAll(
  id: ServiceId,
  source: Pick<Runtime, 'listFiles' | 'readFile'>,
  take: (at: number, file: CollectedFile) => void,
): Promise<void> {
  const listings = new Map<string, readonly ServiceFile[]>();
  await Promise.all(
    FOLDERS_OF_INTEREST.map(async (folder) => listings.set(folder, await listAll(id, folder, source))),
  );
  await forEachLimited(
    chooseFiles(listings).entries(),
    PARALLEL_FILES,
    async ([at, { path, bytes, changedAt, ...piece }]) => {
      const read = await orNull(source.readFile(id, path, piece));
      if (read !== null)
        take(at, {
          path,
          changedAt,
          content: read.content,
          whole: piece.from === 0 && read.content.length >= bytes,
        });
    },
  );
}

async function listAll(
  id: ServiceId,
  folder: string,
  source: Pick<Runtime, 'listFiles'>,
): Promise<readonly ServiceFile[]> {
  const all: ServiceFile[] = [];
  for (let pages = 0, last: string | null = null; pages < MAX_PAGES; pages++) {
    const page: ServiceFiles | null = await orNull(source.listFiles(id, folder, last));
    all.push(...(page?.entries ?? []));
    last = page?.entries.at(-1)?.name ?? null;
    if (page?.more !== true || last === null) break;
  }
  return all;
}

/** Returns the result of a read; null if the file or folder does not exist, or the service has made it unreadable. */
async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, 'FILE_NOT_FOUND') || hasCode(error, 'FILE_FORBIDDEN')) return null;
    throw error;
  }
}
