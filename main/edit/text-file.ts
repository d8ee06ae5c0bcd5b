import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { OpenedFile } from '#shared/ipc/contract.ts';
import { withShapeOf } from '#shared/text/text-shape.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { MAX_READ_BYTES, readRemote, versionOf, type RemoteContent } from './remote-content.ts';
import { writeInPlace } from './write-in-place.ts';

/** Permission bits of a file that a save creates. */
const NEW_FILE_MODE = 0o644;

/** A text that replaces the content of a file, or the text of a new file. */
interface Save {
  readonly text: string;
  /** Version that the text is based on. Null creates the file, which must not exist. */
  readonly version: string | null;
  /** Permission bits of a new file. An existing file keeps its own. */
  readonly mode?: number | undefined;
}

/**
 * Reads a text file of at most 4 MiB for editing. `text` is exact, including line ends and a byte order mark.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_TOO_LARGE, FILE_NOT_TEXT, FILE_FORBIDDEN
 */
export async function openText(files: RemoteFiles, path: string): Promise<OpenedFile> {
  return toOpened(path, await readRemote(files, path));
}

/**
 * Saves a text of at most 4 MiB and keeps the mode of the file, or creates the file.
 *
 * @throws OverworldError FILE_CHANGED if the file has another version, or exists although it should be created, or if
 *   another person has changed it directly after the save; FILE_NOT_FOUND if the file does not exist or, with the
 *   folder's path, if the folder does not exist; FILE_TOO_LARGE; FILE_NOT_TEXT if the text contains a NUL character;
 *   FILE_FORBIDDEN. The other person's version is never overwritten
 */
export async function saveText(
  files: RemoteFiles,
  path: string,
  { text, version, mode = NEW_FILE_MODE }: Save,
): Promise<OpenedFile> {
  const before = version === null ? null : await readVersion(files, path, version);
  const content = Buffer.from(before === null ? text : withShapeOf(before.content.toString('utf8'), text));
  if (content.length > MAX_READ_BYTES) {
    throw new OverworldError('FILE_TOO_LARGE', { path, bytes: content.length, limit: MAX_READ_BYTES });
  }
  // Otherwise, the app could not open the saved file again.
  requireText(content, path);
  await writeInPlace(files, path, {
    source: sourceOf(content),
    bytes: content.length,
    mode: (before?.entry.mode ?? mode) & 0o777,
    replaces: before !== null,
    check: async () => {
      const now = await files.find(path);
      const same = now?.bytes === before?.entry.bytes && now?.modifiedAt === before?.entry.modifiedAt;
      if (!same) throw new OverworldError('FILE_CHANGED', { path });
    },
  });
  const saved = await readRemote(files, path);
  if (!saved.content.equals(content)) throw new OverworldError('FILE_CHANGED', { path });
  return toOpened(path, saved);
}

function toOpened(path: string, read: RemoteContent): OpenedFile {
  const { bytes, modifiedAt, mode } = read.entry;
  return { path, text: toText(read.content, path), version: versionOf(read), bytes, modifiedAt, mode };
}

function toText(content: Buffer, path: string): string {
  requireText(content, path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    throw new OverworldError('FILE_NOT_TEXT', { path }, error);
  }
}

/**
 * Requires a content without NUL. NUL is valid UTF-8 but does not occur in texts. So it identifies a binary file even
 * if the file begins with letters.
 *
 * @throws OverworldError FILE_NOT_TEXT
 */
function requireText(content: Buffer, path: string): void {
  if (content.includes(0)) throw new OverworldError('FILE_NOT_TEXT', { path });
}

/**
 * Reads the current file, which must have this version.
 *
 * @throws OverworldError FILE_NOT_FOUND; FILE_CHANGED if the file has another version or is too large to read,
 *   because the app opens only smaller files; FILE_FORBIDDEN
 */
async function readVersion(files: RemoteFiles, path: string, version: string): Promise<RemoteContent> {
  try {
    const read = await readRemote(files, path);
    if (versionOf(read) === version) return read;
  } catch (error) {
    if (!hasCode(error, 'FILE_TOO_LARGE')) throw error;
  }
  throw new OverworldError('FILE_CHANGED', { path });
}

function sourceOf(content: Buffer) {
  return {
    readAt: (buffer: Buffer, position: number) =>
      Promise.resolve(content.copy(buffer, 0, position, position + buffer.length)),
  };
}
