import type { Stats } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { failed, keepsPart, nameOf, parentOf, withRemote, type FileCopy } from './file-copy.ts';
import { LocalFile } from './local-file.ts';
import { isSameBefore, partNameOf, resumePoint, sourceFrom } from './part.ts';
import { pump } from './pump.ts';
import { joinRemote } from './remote-path.ts';
import type { RemoteHandle } from './remote-handle.ts';
import { markedSink } from './write-mark.ts';

/**
 * Uploads one file: under a temporary name in its folder, with mode and time, sizes compared, then renamed. Whatever
 * fails, the destination is the old or the new file, whole. Broken off by the connection or an Interruption, the part
 * stays, and the next call goes on behind what has arrived.
 *
 * @throws OverworldError; the signal's reason when it was stopped
 */
export async function uploadFile(copy: FileCopy): Promise<void> {
  const { localPath, remotePath, origin, parts } = copy;
  const local = await LocalFile.toRead(localPath);
  try {
    const stats = await local.stat();
    const { size, mtimeMs } = stats;
    const source = { origin, path: localPath, bytes: size, modifiedAt: mtimeMs };
    const part = joinRemote(parentOf(remotePath), partNameOf(source, nameOf(remotePath)));
    parts.claim(part, remotePath);
    try {
      await send(copy, { local, stats, part });
    } finally {
      parts.release(part);
    }
  } finally {
    await local.close();
  }
}

/** What is sent: the file here, as it was when it was opened, and its temporary path on the master. */
interface Sent {
  readonly local: LocalFile;
  readonly stats: Stats;
  readonly part: string;
}

async function send(copy: FileCopy, { local, stats, part }: Sent): Promise<void> {
  const { files, localPath, remotePath, parts, signal } = copy;
  const { size, mode, mtimeMs } = stats;
  const { handle, from } = await openPart(copy, { local, stats, part });
  try {
    await withRemote(handle, async () => {
      copy.onProgress(from, false);
      const sink = markedSink(handle, from, (mark) => parts.set(part, mark));
      const copied = await pump(sourceFrom(local, from), sink, { ...copy, bytes: size - from });
      const mtime = Math.floor(mtimeMs / 1000);
      // None needs another: one wait is enough for all three.
      const attributes = { mode: mode & 0o777, atime: mtime, mtime };
      const [after, written] = await Promise.all([
        local.stat(),
        handle.stat(),
        handle.setAttributes(attributes),
      ]);
      if (from + copied !== size || after.size !== size || after.mtimeMs !== mtimeMs) {
        throw failed(remotePath, `${localPath} was changed while it was read`);
      }
      if (written.size !== size) throw failed(remotePath, `${written.size} of ${size} bytes arrived`);
    });
    signal.throwIfAborted();
    await putInPlace(copy, part);
    parts.forget(part);
  } catch (error) {
    // One that cannot be deleted stays in the ledger, and is deleted with the transfer.
    if (!keepsPart(copy)) {
      await files.deleteFile(part).then(
        () => parts.forget(part),
        () => undefined,
      );
    }
    throw error;
  }
}

/** Opens the part to write: a new one, or one that is there with the place to go on from. */
async function openPart(
  { files, parts, resume }: FileCopy,
  { local, stats: { size }, part }: Sent,
): Promise<{ readonly handle: RemoteHandle; readonly from: number }> {
  const mark = parts.mark(part);
  // Before it is made: when the connection breaks right then, somebody must know of it.
  parts.set(part, mark ?? 0);
  try {
    return { handle: await files.open(part, 'wx'), from: 0 };
  } catch (error) {
    const found = await files.find(part);
    if (found?.kind !== 'file') {
      parts.forget(part);
      throw error;
    }
    const from = resume || mark !== undefined ? resumePoint({ bytes: found.bytes, mark }, size) : 0;
    if (from > 0) {
      const handle = await files.open(part, 'r+');
      if (await isSameBefore(from, local, handle)) return { handle, from };
      await handle.close();
    }
    await files.deleteFile(part);
    return { handle: await files.open(part, 'wx'), from: 0 };
  }
}

async function putInPlace({ files, remotePath, replace }: FileCopy, part: string): Promise<void> {
  if (replace) {
    await files.replace(part, remotePath);
    return;
  }
  try {
    await files.rename(part, remotePath);
  } catch (error) {
    if ((await files.find(remotePath)) === null) throw error;
    throw new OverworldError('FILE_EXISTS', { path: remotePath }, error);
  }
}
