import { createHash } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { withRemote } from '../transfers/operations/file-copy.ts';
import { copyBytes } from '../transfers/remote/copy-bytes.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';

/** Maximum size of a file that is read as a whole, for editing and for detecting changes (bytes). */
export const MAX_READ_BYTES = 4_194_304;

/** A file on the master with its whole content. */
export interface RemoteContent {
  readonly entry: RemoteEntry;
  readonly content: Buffer;
}

/**
 * Reads a file of at most {@link MAX_READ_BYTES}.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_TOO_LARGE, FILE_FORBIDDEN (not a regular file)
 */
export async function readRemote(files: RemoteFiles, path: string): Promise<RemoteContent> {
  const entry = await requireFile(files, path);
  if (entry.bytes > MAX_READ_BYTES) {
    throw new OverworldError('FILE_TOO_LARGE', { path, bytes: entry.bytes, limit: MAX_READ_BYTES });
  }
  const handle = await files.open(path, 'r');
  return withRemote(handle, async () => {
    const { size, mtime } = await handle.stat();
    if (size > MAX_READ_BYTES) {
      throw new OverworldError('FILE_TOO_LARGE', { path, bytes: size, limit: MAX_READ_BYTES });
    }
    const content = Buffer.alloc(size);
    const sink = {
      writeAt: (buffer: Buffer, position: number) => {
        buffer.copy(content, position);
        return Promise.resolve();
      },
    };
    const signal = new AbortController().signal;
    const read = await copyBytes(handle, sink, { bytes: size, signal, onProgress: () => undefined });
    const now = { ...entry, bytes: read, modifiedAt: mtime * 1000 };
    return { entry: now, content: content.subarray(0, read) };
  });
}

/**
 * Returns the entry at a path. Fails if the entry is not a file.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN
 */
export async function requireFile(files: RemoteFiles, path: string): Promise<RemoteEntry> {
  const entry = await files.find(path);
  if (entry === null) throw new OverworldError('FILE_NOT_FOUND', { path });
  if (entry.kind !== 'file') {
    const why = entry.kind === 'link' ? 'it is a link. Open its target' : 'it is not a file';
    throw new OverworldError('FILE_FORBIDDEN', { path, why });
  }
  return entry;
}

/** Returns an id of a file's content, made of its size, modification time and SHA-256. */
export function versionOf({ entry, content }: RemoteContent): string {
  const hash = createHash('sha256').update(content).digest('hex');
  return `${entry.bytes}-${entry.modifiedAt}-${hash}`;
}

/**
 * Returns whether a version is of a content with this SHA-256. Returns false for files above {@link MAX_READ_BYTES},
 * because their versions contain no hash.
 */
export function hasHash(version: string, hash: string): boolean {
  return version.endsWith(`-${hash}`);
}

/**
 * Returns an id of a file's content for any size. For files above {@link MAX_READ_BYTES} the id is made of size and
 * modification time only. Null if the file does not exist.
 */
export async function remoteVersion(files: RemoteFiles, path: string): Promise<string | null> {
  const entry = await files.find(path);
  if (entry === null) return null;
  if (entry.kind !== 'file' || entry.bytes > MAX_READ_BYTES) return `${entry.bytes}-${entry.modifiedAt}`;
  return versionOf(await readRemote(files, path));
}
