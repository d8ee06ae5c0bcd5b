import { constants, fstatSync, type Stats } from 'node:fs';
import { chmod, open, utimes } from 'node:fs/promises';
import type { AttrsChange } from '../protocol/packet-reader.ts';
import type { WriteLimit } from '#master/store/disk-reserve.ts';
import type { Pinned } from '../jail/pin.ts';
import { failure, forbidden } from '../protocol/refusal.ts';
import { growth } from '../growing-file.ts';
import { system } from '../jail/system-calls.ts';
import { toBytes } from '../protocol/virtual-path.ts';

/** Permission bits that always stay set, so that the master itself can read, replace and delete the file. */
const MASTER_FILE = 0o600;
const MASTER_FOLDER = 0o700;

/**
 * Changes the attributes of an open file in this order: size, permissions, times. The times are last, because a
 * change of the size also changes them.
 *
 * @throws Refusal for another owner or an impossible size; DiskReserveReached; errno errors
 */
export async function applyToFile(file: number, change: AttrsChange, limit: WriteLimit): Promise<void> {
  refuseOwner(change, () => fstatSync(file));
  if (change.size !== undefined) {
    const size = checkedSize(change.size);
    await limit.use(growth(fstatSync(file), size), () => system.truncate(file, size));
  }
  if (change.permissions !== undefined) await system.chmod(file, toFileMode(change.permissions));
  if (change.times !== undefined) await system.setTimes(file, change.times.access, change.times.modified);
}

/**
 * Changes the attributes of a pinned file or folder, in the same order as {@link applyToFile}. Refuses to change the
 * attributes of a link itself.
 *
 * @throws Refusal for another owner, the size of a folder, or a link; DiskReserveReached; errno errors
 */
export async function applyToPinned(pinned: Pinned, change: AttrsChange, limit: WriteLimit): Promise<void> {
  const stats = pinned.stat();
  if (!stats.isFile() && !stats.isDirectory()) throw failure('It is not a regular file or folder');
  refuseOwner(change, () => stats);
  const path = toBytes(pinned.path);
  if (change.size !== undefined) {
    if (!stats.isFile()) throw failure('It is a folder');
    const size = checkedSize(change.size);
    const file = await open(path, constants.O_WRONLY | pinned.openFlags);
    try {
      await limit.use(growth(stats, size), () => file.truncate(size));
    } finally {
      await file.close();
    }
  }
  if (change.permissions !== undefined) {
    await chmod(path, (change.permissions & 0o777) | (stats.isDirectory() ? MASTER_FOLDER : MASTER_FILE));
  }
  if (change.times !== undefined) await utimes(path, change.times.access, change.times.modified);
}

function checkedSize(size: number): number {
  if (size === Infinity) throw failure('The file would be too large');
  return size;
}

/**
 * Returns the mode that a file gets when a client requests `permissions`.
 *
 * Example: `toFileMode(0o4755)` is `0o755`, `toFileMode(0o044)` is `0o644`.
 */
export function toFileMode(permissions: number): number {
  return (permissions & 0o777) | MASTER_FILE;
}

/**
 * Refuses a request that would change the owner of a file.
 *
 * @throws Refusal if the requested owner differs from the current one
 */
export function refuseOwner({ owner }: AttrsChange, stat: () => Stats): void {
  if (owner === undefined) return;
  const { uid, gid } = stat();
  if (owner.uid !== uid || owner.gid !== gid) {
    throw forbidden('All files belong to the master; owners cannot be changed');
  }
}
