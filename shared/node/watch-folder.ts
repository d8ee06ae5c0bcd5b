import { watch } from 'node:fs';

/** Interval of the calls of the listener if the system has no watches left (ms). Templates are polled as often. */
const POLL_MS = 10_000;

/** Error codes of a system whose limit for watches or open files is reached. */
const NO_WATCH_LEFT = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

/** A watch of a folder, until it is closed. */
export interface FolderWatch {
  close(): void;
}

/** Folders that are polled. Each is reported only once. */
const polled = new Set<string>();

/**
 * Calls the listener after each change in a folder, but not for changes in its subfolders. If the system has no watches
 * left, calls the listener at intervals instead, and reports the reason once (docs/adr/0027-watching-folders.md).
 *
 * @param listener gets the name of the changed file or folder; null if it is unknown
 * @param onError called if the watch fails
 * @throws errno errors, such as ENOENT
 */
export function watchFolder(
  path: string,
  listener: (name: string | null) => void,
  onError: (error: unknown) => void,
): FolderWatch {
  try {
    return watch(path, (_event, name) => listener(name)).on('error', onError);
  } catch (error) {
    if (!NO_WATCH_LEFT.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    if (!polled.has(path)) onError(error);
    polled.add(path);
    const timer = setInterval(() => listener(null), POLL_MS).unref();
    return { close: () => clearInterval(timer) };
  }
}
