import { constants, createReadStream, createWriteStream, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, readlink, symlink, unlink, utimes } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import type { Steps } from '../transfers/operations/file-tasks.ts';

/** Above this many bytes a file is copied piece by piece: such a copy tells how far it is, and can be ended. */
const IN_ONE_BYTES = 16 * 1_048_576;
const PIECE_BYTES = 1_048_576;

/** What says that a disk cannot share the blocks of two files (ioctl_ficlone(2)), or that they are on two disks. */
const CANNOT_SHARE: ReadonlySet<string> = new Set([
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EINVAL',
  'ENOTTY',
]);

/**
 * Copies one file to a path where nothing is, with its time and permissions. Ended early, nothing of it stays.
 *
 * @param file its `bytes` decide how it is done
 * @throws OverworldError LOCAL_FILE_UNREADABLE, DISK_FULL, or the signal's reason
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

/** Makes a link that says the same. @throws OverworldError FILE_FORBIDDEN for what is no link either */
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

/** Gives a copy the permissions and times of what it was made from. */
export async function keepAttributes(from: string, to: string): Promise<void> {
  try {
    const { mode, atime, mtime }: Stats = await lstat(from);
    await chmod(to, mode & 0o777);
    await utimes(to, atime, mtime);
  } catch (error) {
    throw toLocalError(error, to);
  }
}

/** Done at once where the disk can let two files share their blocks. @returns false where it cannot: nothing was made */
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
  // Only what this copy has made is taken away again.
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
