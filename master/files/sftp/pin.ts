import { closeSync, constants, fstatSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { forbidden } from './refusal.ts';
import { system } from './system-calls.ts';
import { toBytes, type ByteString } from './virtual-path.ts';

/** Linux: opens a handle that only refers to an object. Opening it does not read, execute or wait. See open(2). */
const O_PATH = 0o10000000;

const LATIN1 = { encoding: 'latin1' } as const;

/** Absent on Windows. */
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/**
 * Reference to one object on disk. System calls on {@link path} reach exactly this object, or names inside it if it
 * is a folder, even if it is renamed or replaced by a link meanwhile. The caller must close it.
 */
export interface Pinned {
  /** Path for system calls. */
  readonly path: ByteString;
  /** Real path, without links, at the time of pinning. */
  readonly real: ByteString;
  /** Returns the current real path; null if the system cannot tell. Must not be called after {@link close}. */
  readonly locate: (() => ByteString) | null;
  /**
   * Returns the attributes of the object; of a link itself only if it was not followed. Must not be called after
   * {@link close}.
   */
  stat(): Stats;
  /** Flags to add when opening {@link path}. */
  readonly openFlags: number;
  close(): void;
}

/**
 * Pins an object on disk. Links in the path are followed, the last one only if `follow` is set. Throws errno
 * errors.
 */
export type Pin = (path: ByteString, follow: boolean) => Promise<Pinned>;

/**
 * Linux: opens the object first, then asks the kernel for the path of the open handle (`/proc/self/fd/N`), and
 * continues through that handle. Replacing a part of the path with a link in between has no effect, because no
 * check precedes its use.
 *
 * Only opening may wait for the disk, so only it uses the thread pool. The kernel answers questions about an open
 * handle from memory, which costs less than a round trip to another thread.
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
 * macOS and Windows, where only the embedded master of the desktop app runs, for its own user alone: resolves the
 * path, then uses the result. If another program of the same user swaps in a link at that moment, it is followed;
 * that program could write to the target directly anyway.
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

/** Returns the strictest pin that this system supports. */
export async function choosePin(): Promise<Pin> {
  if (process.platform !== 'linux') return pinByName;
  // Some containers lack /proc, and nothing could be pinned there: fail at the start instead of at the first
  // upload.
  const probe = await pinByHandle('/', true);
  probe.close();
  return pinByHandle;
}
