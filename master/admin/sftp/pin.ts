import { constants, type Stats } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { forbidden } from './refusal.ts';
import { toBytes, type ByteString } from './virtual-path.ts';

/** Linux: a handle that only names an object; opening it reads nothing, runs nothing, waits for nothing. open(2). */
const O_PATH = 0o10000000;

/** Absent on Windows. */
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/**
 * One object on disk, held fast: operations through {@link path} reach this very object (or, below it, names in this
 * very folder), whatever is renamed or replaced by links meanwhile. To be closed.
 */
export interface Pinned {
  /** A path for the operating system. */
  readonly path: ByteString;
  /** Where it really is, without links, at the moment it was pinned. */
  readonly real: ByteString;
  /** Of the object itself; a link only when it was not to be followed. */
  readonly stats: Stats;
  /** To be added to the flags of `open` on {@link path}. */
  readonly openFlags: number;
  close(): Promise<void>;
}

/** Holds an object of the disk fast. Links on the way are followed, the last one only if `follow`. Throws errno errors. */
export type Pin = (path: ByteString, follow: boolean) => Promise<Pinned>;

/**
 * Linux: opens the object first, then asks the kernel where the opened thing is (`/proc/self/fd/N`), and goes on
 * through that same handle. A link swapped in between changes nothing any more: no check comes before its use.
 */
const pinByHandle: Pin = async (path, follow) => {
  const flags = O_PATH | (follow ? 0 : O_NOFOLLOW);
  const handle = await open(toBytes(path), flags);
  try {
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await readlink(own, { encoding: 'latin1' });
    return { path: own, real, stats: await handle.stat(), openFlags: 0, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/**
 * Elsewhere (macOS, Windows: the embedded master of a desktop app, reached by its own user alone): resolves names,
 * then uses the result. A program of the same user that swaps a link in that very moment would be followed; it could
 * as well write to the target itself.
 */
const pinByName: Pin = async (path, follow) => {
  const cut = path.lastIndexOf('/');
  const name = path.slice(cut + 1);
  const real = follow
    ? await realpath(toBytes(path), { encoding: 'latin1' })
    : `${await realpath(toBytes(path.slice(0, cut)), { encoding: 'latin1' })}/${name}`;
  const stats = await lstat(toBytes(real));
  if (follow && stats.isSymbolicLink()) throw forbidden('A link changed while it was used');
  return { path: real, real, stats, openFlags: O_NOFOLLOW, close: () => Promise.resolve() };
};

/** The strictest way this machine has. */
export async function choosePin(): Promise<Pin> {
  if (process.platform !== 'linux') return pinByName;
  // Without /proc (some containers) nothing else would work as promised: fail now, not at the first upload.
  const probe = await pinByHandle('/', true);
  await probe.close();
  return pinByHandle;
}
