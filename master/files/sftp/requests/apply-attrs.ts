import { constants, fstatSync, type Stats } from 'node:fs';
import { chmod, open, utimes } from 'node:fs/promises';
import type { AttrsChange } from '../packet-reader.ts';
import type { Pinned } from '../pin.ts';
import { failure, forbidden } from '../refusal.ts';
import { system } from '../system-calls.ts';
import { toBytes } from '../virtual-path.ts';

/** Whatever a client sets, the master itself must be able to read, replace and delete it. */
const MASTER_FILE = 0o600;
const MASTER_FOLDER = 0o700;

/** Changes an open file: size, permissions, times, in this order, as changing the size sets the times. */
export async function applyToFile(file: number, change: AttrsChange): Promise<void> {
  refuseOwner(change, () => fstatSync(file));
  if (change.size !== undefined) await system.truncate(file, checkedSize(change.size));
  if (change.permissions !== undefined) await system.chmod(file, toFileMode(change.permissions));
  if (change.times !== undefined) await system.setTimes(file, change.times.access, change.times.modified);
}

/** The same for a file or folder that is not open. A link itself cannot be changed. */
export async function applyToPinned(pinned: Pinned, change: AttrsChange): Promise<void> {
  const stats = pinned.stat();
  if (!stats.isFile() && !stats.isDirectory()) throw failure('It is not a regular file or folder');
  refuseOwner(change, () => stats);
  const path = toBytes(pinned.path);
  if (change.size !== undefined) {
    if (!stats.isFile()) throw failure('It is a folder');
    const file = await open(path, constants.O_WRONLY | pinned.openFlags);
    try {
      await file.truncate(checkedSize(change.size));
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

/** Permission bits that a client may give a file. */
export function toFileMode(permissions: number): number {
  return (permissions & 0o777) | MASTER_FILE;
}

/** @throws Refusal when a client wants a file to belong to somebody else */
export function refuseOwner({ owner }: AttrsChange, stat: () => Stats): void {
  if (owner === undefined) return;
  const { uid, gid } = stat();
  if (owner.uid !== uid || owner.gid !== gid) {
    throw forbidden('All files belong to the master; owners cannot be changed');
  }
}
