import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { OpenedFile } from '#shared/ipc/contract.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { MAX_READ_BYTES, readRemote, versionOf, type RemoteContent } from './remote-content.ts';
import { writeInPlace } from './write-in-place.ts';

/** Permission bits of a file that a save creates. */
const NEW_FILE_MODE = 0o644;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a text file of at most 4 MiB for editing. `text` is exact, including line ends and a byte order mark.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_TOO_LARGE, FILE_NOT_TEXT, FILE_FORBIDDEN
 */
export async function openText(files: RemoteFiles, path: string): Promise<OpenedFile> {
  const read = await readRemote(files, path);
  const { bytes, modifiedAt, mode } = read.entry;
  return { path, text: toText(read.content, path), version: versionOf(read), bytes, modifiedAt, mode };
}

/**
 * Saves a text of at most 4 MiB and keeps the mode of the file. Creates a missing file only if `version` is null.
 *
 * @param version version that the text is based on; null overwrites any version
 * @throws OverworldError FILE_CHANGED if the file has another version now; FILE_NOT_FOUND if it does not exist and
 *   `version` is not null; FILE_TOO_LARGE, FILE_FORBIDDEN; nothing is written then
 */
export async function saveText(
  files: RemoteFiles,
  path: string,
  { text, version }: { readonly text: string; readonly version: string | null },
): Promise<OpenedFile> {
  const before = await readOrNull(files, path, version);
  if (version !== null && (before === null || versionOf(before) !== version)) {
    throw new OverworldError('FILE_CHANGED', { path });
  }
  const content = Buffer.from(before === null ? text : withShapeOf(before.content.toString('utf8'), text));
  if (content.length > MAX_READ_BYTES) {
    throw new OverworldError('FILE_TOO_LARGE', { path, bytes: content.length, limit: MAX_READ_BYTES });
  }
  await writeInPlace(files, path, {
    source: sourceOf(content),
    bytes: content.length,
    mode: before === null ? NEW_FILE_MODE : before.entry.mode & 0o777,
    check: async () => {
      if (version === null) return;
      const now = await files.find(path);
      const same =
        now !== null && now.bytes === before?.entry.bytes && now.modifiedAt === before.entry.modifiedAt;
      if (!same) throw new OverworldError('FILE_CHANGED', { path });
    },
  });
  return openText(files, path);
}

/**
 * Gives a text the byte order mark and the line ends of the old text that it replaces, because editors work with
 * plain `\n`. Changes the line ends only if all of them are CRLF in the old text and LF in the new one. Otherwise,
 * keeps the line ends of the new text. So a file with mixed line ends has only `\n` after an edit.
 */
export function withShapeOf(old: string, text: string): string {
  const crlf = old.includes('\r\n') && !/(^|[^\r])\n/.test(old) && !text.includes('\r');
  const body = crlf ? text.replaceAll('\n', '\r\n') : text;
  return old.startsWith(BYTE_ORDER_MARK) && !body.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + body : body;
}

function toText(content: Buffer, path: string): string {
  try {
    // NUL is valid UTF-8 but does not occur in texts. So it identifies a binary file even if the file begins with
    // letters.
    if (content.includes(0)) throw new OverworldError('FILE_NOT_TEXT', { path });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    if (error instanceof OverworldError) throw error;
    throw new OverworldError('FILE_NOT_TEXT', { path }, error);
  }
}

/**
 * Reads the current file. Returns null if the file does not exist and `version` is null.
 *
 * @throws OverworldError FILE_NOT_FOUND if the file does not exist and `version` is not null; FILE_CHANGED if the
 *   file is too large to read, because the app opens only smaller files; FILE_FORBIDDEN
 */
async function readOrNull(
  files: RemoteFiles,
  path: string,
  version: string | null,
): Promise<RemoteContent | null> {
  try {
    return await readRemote(files, path);
  } catch (error) {
    if (hasCode(error, 'FILE_NOT_FOUND')) {
      if (version === null) return null;
      throw error;
    }
    if (hasCode(error, 'FILE_TOO_LARGE')) throw new OverworldError('FILE_CHANGED', { path }, error);
    throw error;
  }
}

function sourceOf(content: Buffer) {
  return {
    readAt: (buffer: Buffer, position: number) =>
      Promise.resolve(content.copy(buffer, 0, position, position + buffer.length)),
  };
}
