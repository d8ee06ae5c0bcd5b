import { randomBytes } from 'node:crypto';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { failed, parentOf, withRemote } from '../transfers/operations/file-copy.ts';
import { partName } from '../transfers/remote/names.ts';
import { copyBytes, type Source } from '../transfers/remote/copy-bytes.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { joinRemote } from '../transfers/remote/remote-path.ts';

const NEVER = new AbortController().signal;

/** New content of a file on the master. */
interface Content {
  readonly source: Source;
  readonly bytes: number;
  /** Permission bits that the file gets. */
  readonly mode: number;
  /** Whether an existing file is replaced. Otherwise, the write fails with TRANSFER_FAILED if the file exists. */
  readonly replaces: boolean;
  /** Last check before the temporary file gets the file's name. Throws to cancel the write. */
  readonly check: () => Promise<void>;
}

/**
 * Replaces a file's content: writes a temporary file and renames it, so that no reader sees a partial file. On a
 * failure, deletes the temporary file and leaves the old content.
 *
 * @throws OverworldError the master's own error if it refuses the file; FILE_NOT_FOUND with the path of the folder if
 *   that does not exist; TRANSFER_FAILED if not all bytes arrive; also what `check` throws
 */
export async function writeInPlace(
  files: RemoteFiles,
  path: string,
  { source, bytes, mode, replaces, check }: Content,
): Promise<void> {
  const folder = parentOf(path);
  const part = joinRemote(folder, partName(randomBytes(16).toString('hex')));
  const handle = await files.open(part, 'wx').catch((error: unknown) => {
    throw hasCode(error, 'FILE_NOT_FOUND')
      ? new OverworldError('FILE_NOT_FOUND', { path: folder }, error)
      : error;
  });
  try {
    await withRemote(handle, async () => {
      const copied = await copyBytes(source, handle, { bytes, signal: NEVER, onProgress: () => undefined });
      await handle.setAttributes({ mode });
      const { size } = await handle.stat();
      if (copied !== bytes || size !== bytes) throw failed(path, `${size} of ${bytes} bytes arrived`);
    });
    await check();
    await (replaces ? files.replace(part, path) : files.rename(part, path));
  } catch (error) {
    await files.deleteFile(part).catch(() => undefined);
    throw error;
  }
}
