import { closeSync, constants, fstatSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { forbidden } from './refusal.ts';
import { system } from './system-calls.ts';
import { toBytes, type ByteString } from './virtual-path.ts';

/** Linux: a handle that only names an object; opening it reads nothing, runs nothing, waits for nothing. open(2). */
const O_PATH = 0o10000000;

const LATIN1 = { encoding: 'latin1' } as const;

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
  /** Asks where it really is now; null where the system cannot say. Before {@link close}. */
  readonly locate: (() => ByteString) | null;
  /** Of the object itself, a link's own only when it was not to be followed. Before {@link close}. */
  stat(): Stats;
  /** To be added to the flags of `open` on {@link path}. */
  readonly openFlags: number;
  close(): void;
}

/** Holds an object of the disk fast. Links on the way are followed, the last one only if `follow`. Throws errno errors. */
export type Pin = (path: ByteString, follow: boolean) => Promise<Pinned>;

/**
 * Linux: opens the object first, then asks the kernel where the opened thing is (`/proc/self/fd/N`), and goes on
 * through that same handle. A link swapped in between changes nothing any more: no check comes before its use.
 *
 * Only the opening may wait for a disk and goes through the thread pool. What is asked of the open handle the kernel
 * has in memory, and the answer costs less than the way to another thread and back.
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
  return {
    path: real,
    real,
    locate: null,
    stat: () => stats,
    openFlags: O_NOFOLLOW,
    close: () => undefined,
  };
};

/** The strictest way this machine has. */
export async function choosePin(): Promise<Pin> {
  if (process.platform !== 'linux') return pinByName;
  // Without /proc (some containers) nothing else would work as promised: fail now, not at the first upload.
  const probe = await pinByHandle('/', true);
  probe.close();
  return pinByHandle;
}
