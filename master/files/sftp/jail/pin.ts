import { closeSync, constants, fstatSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { forbidden } from '../protocol/refusal.ts';
import { system } from './system-calls.ts';
import { toBytes, type ByteString } from '../protocol/virtual-path.ts';

/**
 * Flag of Linux for a handle that only refers to an object. The object itself is not opened, so a pipe cannot block
 * the call. See open(2).
 */
const O_PATH = 0o10000000;

const LATIN1 = { encoding: 'latin1' } as const;

/** Flag that refuses links. It does not exist on Windows. */
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/**
 * Reference to one object on disk. System calls on {@link path} reach exactly this object, even if it is renamed or a
 * link takes its place. If the object is a folder, names below {@link path} reach entries of exactly this folder. The
 * caller must close the reference.
 */
export interface Pinned {
  /** Path for system calls. */
  readonly path: ByteString;
  /** Real path, without links, at the time of pinning. */
  readonly real: ByteString;
  /**
   * Returns the current real path; null if the system does not provide it. Must not be called after {@link close}.
   */
  readonly locate: (() => ByteString) | null;
  /**
   * Returns the attributes of the object. If the object is a link that was not followed, these are the attributes
   * of the link. Must not be called after {@link close}.
   */
  stat(): Stats;
  /** Flags to add when opening {@link path}. */
  readonly openFlags: number;
  close(): void;
}

/**
 * Pins an object on disk. Follows links in the path, but the last one only if `follow` is true. Throws errno errors.
 */
export type Pin = (path: ByteString, follow: boolean) => Promise<Pinned>;

/**
 * Pins an object on Linux: opens it, asks the kernel for the path of the open handle (`/proc/self/fd/N`), and then
 * uses the object only through this handle. The path that is checked is the path of the opened object. So if another
 * process replaces a part of the requested path with a link in the meantime, the link has no effect.
 *
 * Only opening may wait for the disk, so only this call uses the thread pool. The kernel answers questions about an
 * open handle from memory, which costs less than a call in another thread.
 */
const pinByHandle: Pin = async (path, follow) => {
  const number = await system.open(toBytes(path), O_PATH | (follow ? 0 : O_NOFOLLOW));
  try {
    const own = `/proc/self/fd/${number}`;
    const locate = (): ByteString => readlinkSync(own, LATIN1);
    const stat = (): Stats => fstatSync(number);
    return { path: own, real: locate(), locate, stat, openFlags: 0, close: () => closeSync(number) };
  } catch (error) {
    closeSync(number);
    throw error;
  }
};

/**
 * Pins an object on macOS and Windows: resolves the path, and then uses the resolved path. If another program
 * replaces a part of this path with a link in the meantime, the link is followed. This is acceptable: on these
 * systems, only the master inside the desktop app runs, for a single user, and a program of this user could access
 * the link's target directly anyway.
 */
const pinByName: Pin = async (path, follow) => {
  const cut = path.lastIndexOf('/');
  const name = path.slice(cut + 1);
  const real = follow
    ? await realpath(toBytes(path), { encoding: 'latin1' })
    : `${await realpath(toBytes(path.slice(0, cut)), { encoding: 'latin1' })}/${name}`;
  const stats = await lstat(toBytes(real));
  if (follow && stats.isSymbolicLink()) throw forbidden('A link changed while it was used');
  return {
    path: real,
    real,
    locate: null,
    stat: () => stats,
    openFlags: O_NOFOLLOW,
    close: () => undefined,
  };
};

/**
 * Returns the most secure way to pin objects that this system supports. Throws errno errors on Linux without `/proc`.
 */
export async function choosePin(): Promise<Pin> {
  if (process.platform !== 'linux') return pinByName;
  // Without /proc, as in some containers, nothing can be pinned. This test makes the master fail at its start instead
  // of at the first upload.
  const probe = await pinByHandle('/', true);
  probe.close();
  return pinByHandle;
}
