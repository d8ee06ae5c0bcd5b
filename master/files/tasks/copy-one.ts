import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { copyFile, lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FileArea, PlacedPath } from '../sftp/file-area.ts';
import { moveExclusive } from '../sftp/move-exclusive.ts';
import type { Pinned } from '../sftp/pin.ts';
import { failure } from '../sftp/refusal.ts';
import { toBytes, type ByteString } from '../sftp/virtual-path.ts';
import { openToRead } from '../open-to-read.ts';
import type { Work } from './tasks.ts';
import { toPath } from '../walk.ts';

/** Bytes of one read and write; cancelling waits for no more than this. */
const PIECE_BYTES = 1_048_576;

export interface OneCopy {
  readonly area: FileArea;
  readonly source: PlacedPath;
  /** The folder that it goes to, held fast, and its name there. */
  readonly folder: Pinned;
  readonly name: ByteString;
  /** True: takes the place of a file or link that is there. */
  readonly replace: boolean;
  readonly work: Work;
}

/**
 * Copies one regular file under a temporary name, with mode and time, compares sizes, then puts it in its place.
 * Whatever fails, what stands there is the old or the new file, whole, and no temporary one stays.
 *
 * @returns bytes copied
 * @throws Refusal, errno errors (EEXIST when the name is taken and nothing is to be replaced), OverworldError
 */
export async function copyOne({ area, source, folder, name, replace, work }: OneCopy): Promise<number> {
  const part = `${folder.path}/.overworld-${randomBytes(8).toString('hex')}.part`;
  const from = await openToRead(area, source);
  try {
    const { size } = await fillPart({ source, work, from, part });
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

interface Filling extends Pick<OneCopy, 'source' | 'work'> {
  readonly from: FileHandle;
  readonly part: ByteString;
}

/**
 * Makes the temporary file and all that is in it through one handle: whoever puts something else under its name
 * meanwhile neither gets its mode and time, nor is taken for the copy.
 */
async function fillPart({ source, work, from, part }: Filling): Promise<Stats> {
  const to = await open(toBytes(part), 'wx', 0o600);
  try {
    const before = await from.stat();
    const cloned = await clone(from, to);
    if (!cloned) await copyBytes(from, to, work);
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

/** Shares the blocks where the file system can (btrfs, XFS). @returns false where it cannot; nothing was copied then */
async function clone(from: FileHandle, to: FileHandle): Promise<boolean> {
  // Only Linux can name an open file by a path, so that it is these very files that are meant.
  if (process.platform !== 'linux') return false;
  try {
    const [source, target] = [`/proc/self/fd/${from.fd}`, `/proc/self/fd/${to.fd}`];
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    // Whatever the reason is, copying the bytes tells it as well or gets by without.
    return false;
  }
}

async function copyBytes(from: FileHandle, to: FileHandle, { signal, progress }: Work): Promise<void> {
  const { size } = await from.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(PIECE_BYTES, size)));
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      const { bytesWritten } = await to.write(buffer, written, bytesRead - written, position + written);
      written += bytesWritten;
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
