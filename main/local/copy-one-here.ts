import { constants, createReadStream, createWriteStream, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, readlink, symlink, unlink, utimes } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import type { Steps } from '../transfers/operations/file-tasks.ts';

/** Size above which a file is copied in chunks, which allows progress and cancellation (bytes). */
const IN_ONE_BYTES = 16 * 1_048_576;
const PIECE_BYTES = 1_048_576;

/**
 * Error codes for a disk that cannot share blocks between two files (ioctl_ficlone(2)), or for files on two disks.
 */
const CANNOT_SHARE: ReadonlySet<string> = new Set([
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EINVAL',
  'ENOTTY',
]);

/**
 * Copies one file to a free path, with its time and permissions. Removes the partial copy on failure.
 *
 * @param file real path, new path and size; a file above 16 MiB is copied in chunks
 * @throws OverworldError LOCAL_FILE_UNREADABLE, DISK_FULL, or the signal's abort reason
 */
export async function copyFileHere(
  { from, to, bytes }: { readonly from: string; readonly to: string; readonly bytes: number },
  { signal, moved }: Pick<Steps, 'signal' | 'moved'>,
): Promise<void> {
  try {
    if (bytes <= IN_ONE_BYTES) {
      await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      moved(bytes);
    } else if (await sharesBlocks(from, to)) moved(bytes);
    else await copyPieces(from, to, { signal, moved });
  } catch (error) {
    signal.throwIfAborted();
    throw toLocalError(error, from);
  }
  await keepAttributes(from, to);
}

/**
 * Creates a link at `to` with the same target as the link at `from`.
 *
 * @throws OverworldError FILE_FORBIDDEN if the source is not a link
 */
export async function copyLinkHere(from: string, to: string): Promise<void> {
  try {
    if (!(await lstat(from)).isSymbolicLink()) {
      const why = 'it is neither a file, a folder nor a link';
      throw new OverworldError('FILE_FORBIDDEN', { path: from, why });
    }
    await symlink(await readlink(from), to);
  } catch (error) {
    throw toLocalError(error, from);
  }
}

/** Gives a copy the permissions and times of its source. */
export async function keepAttributes(from: string, to: string): Promise<void> {
  try {
    const { mode, atime, mtime }: Stats = await lstat(from);
    await chmod(to, mode & 0o777);
    await utimes(to, atime, mtime);
  } catch (error) {
    throw toLocalError(error, to);
  }
}

/**
 * Copies a file as a reflink: both files share their disk blocks, so no data is copied.
 *
 * @returns false if the disk does not support reflinks; then no file was created
 */
async function sharesBlocks(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (CANNOT_SHARE.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function copyPieces(
  from: string,
  to: string,
  { signal, moved }: Pick<Steps, 'signal' | 'moved'>,
): Promise<void> {
  const counted = new Transform({
    transform(piece: Buffer, _, next) {
      moved(piece.length);
      next(null, piece);
    },
  });
  const target = createWriteStream(to, { flags: 'wx', mode: 0o600, highWaterMark: PIECE_BYTES });
  // Resolves to whether this copy created the target. A file that existed there before must not be removed below.
  const opened = new Promise<boolean>((resolve) => {
    target.once('open', () => resolve(true));
    target.once('close', () => resolve(false));
  });
  try {
    await pipeline(createReadStream(from, { highWaterMark: PIECE_BYTES }), counted, target, { signal });
  } catch (error) {
    if (await opened) await unlink(to);
    throw error;
  }
}
