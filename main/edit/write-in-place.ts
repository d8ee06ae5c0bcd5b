import { randomBytes } from 'node:crypto';
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
  /** Last check before the temporary file replaces the old one. Throws to cancel the replacement. */
  readonly check: () => Promise<void>;
}

/**
 * Replaces a file's content: writes a temporary file and renames it, so that no reader sees a partial file. On a
 * failure, deletes the temporary file and leaves the old content.
 *
 * @throws OverworldError the master's own error if it refuses the file; TRANSFER_FAILED if not all bytes arrive; also
 *   what `check` throws
 */
export async function writeInPlace(
  files: RemoteFiles,
  path: string,
  { source, bytes, mode, check }: Content,
): Promise<void> {
  const part = joinRemote(parentOf(path), partName(randomBytes(16).toString('hex')));
  const handle = await files.open(part, 'wx');
  try {
    await withRemote(handle, async () => {
      const copied = await copyBytes(source, handle, { bytes, signal: NEVER, onProgress: () => undefined });
      await handle.setAttributes({ mode });
      const { size } = await handle.stat();
      if (copied !== bytes || size !== bytes) throw failed(path, `${size} of ${bytes} bytes arrived`);
    });
    await check();
    await files.replace(part, path);
  } catch (error) {
    await files.deleteFile(part).catch(() => undefined);
    throw error;
  }
}
