import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { copyFile, lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import type { FileArea, PlacedPath } from '../sftp/jail/file-area.ts';
import { moveExclusive } from '../sftp/jail/move-exclusive.ts';
import type { Pinned } from '../sftp/jail/pin.ts';
import { failure } from '../sftp/protocol/refusal.ts';
import { toBytes, type ByteString } from '../sftp/protocol/virtual-path.ts';
import { openToRead } from '../open-to-read.ts';
import type { Work } from './tasks.ts';
import { toPath } from '../walk.ts';

/**
 * Number of bytes that are read and written at a time. After a cancellation, at most one such piece is still written.
 */
const PIECE_BYTES = 1_048_576;

export interface OneCopy {
  readonly area: FileArea;
  readonly source: PlacedPath;
  /** The pinned destination folder. */
  readonly folder: Pinned;
  readonly name: ByteString;
  /** Whether an existing file or link is replaced. */
  readonly replace: boolean;
  readonly work: Work;
  /** Reserve of the disk on which the destination is. */
  readonly reserve: DiskReserve;
}

/**
 * Copies one regular file with its mode and time to a temporary name, compares the sizes, and moves the copy to its
 * final name. If anything fails, an existing file with the final name stays complete, and no temporary file remains.
 *
 * @returns the number of bytes copied
 * @throws Refusal, DiskReserveReached, OverworldError, errno errors (EEXIST if the name is taken and must not be
 *   replaced)
 */
export async function copyOne({
  area,
  source,
  folder,
  name,
  replace,
  work,
  reserve,
}: OneCopy): Promise<number> {
  reserve.requireEntry();
  const part = `${folder.path}/.overworld-${randomBytes(8).toString('hex')}.part`;
  const from = await openToRead(area, source);
  try {
    const { size } = await fillPart({ source, work, from, part, reserve });
    work.signal.throwIfAborted();
    await putInPlace(part, `${folder.path}/${name}`, replace);
    return size;
  } catch (error) {
    await rm(toBytes(part), { force: true });
    throw error;
  } finally {
    await from.close();
  }
}

interface Filling extends Pick<OneCopy, 'source' | 'work' | 'reserve'> {
  readonly from: FileHandle;
  readonly part: ByteString;
}

interface Copied extends Pick<OneCopy, 'reserve'> {
  readonly from: FileHandle;
  readonly to: FileHandle;
}

/**
 * Creates the temporary file, and sets its content, mode and time through one file handle. If another program puts a
 * file at the same path in the meantime, this file is neither modified nor mistaken for the copy.
 */
async function fillPart({ source, work, from, part, reserve }: Filling): Promise<Stats> {
  const to = await open(toBytes(part), 'wx', 0o600);
  try {
    const before = await from.stat();
    const cloned = await clone(from, to);
    if (!cloned) await copyBytes({ from, to, reserve }, work);
    await to.chmod((before.mode & 0o777) | 0o600);
    await to.utimes(before.atime, before.mtime);
    const [after, copy, there] = [await from.stat(), await to.stat(), await lstat(toBytes(part))];
    const isWhole = copy.size === before.size && there.dev === copy.dev && there.ino === copy.ino;
    if (!isWhole || after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
      throw new OverworldError('TRANSFER_FAILED', {
        path: toPath(source),
        why: 'it was changed while it was copied',
      });
    }
    if (cloned) work.progress.bytes(before.size);
    return before;
  } finally {
    await to.close();
  }
}

/**
 * Makes the copy a reflink of the source: a file that shares the source's disk blocks. The file system must support
 * this (btrfs, XFS).
 *
 * @returns false if this is not possible; nothing was copied in this case
 */
async function clone(from: FileHandle, to: FileHandle): Promise<boolean> {
  // Only Linux has paths that refer to open files. With these paths, exactly the opened files are copied.
  if (process.platform !== 'linux') return false;
  try {
    const [source, target] = [`/proc/self/fd/${from.fd}`, `/proc/self/fd/${to.fd}`];
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    // The caller then copies the bytes, and reports an error if this fails as well.
    return false;
  }
}

async function copyBytes({ from, to, reserve }: Copied, { signal, progress }: Work): Promise<void> {
  const { size } = await from.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(PIECE_BYTES, size)));
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      const bytes = bytesRead - written;
      const at = { from: written, to: position + written };
      written += await reserve.use(
        bytes,
        async () => (await to.write(buffer, at.from, bytes, at.to)).bytesWritten,
      );
    }
    position += bytesRead;
    progress.bytes(bytesRead);
  }
}

async function putInPlace(part: ByteString, target: ByteString, replace: boolean): Promise<void> {
  if (!replace) {
    await moveExclusive({ path: part }, { path: target });
    return;
  }
  const there = await lstat(toBytes(target)).catch(() => null);
  if (there?.isDirectory() === true) throw failure('There is a folder of that name');
  await rename(toBytes(part), toBytes(target));
}
