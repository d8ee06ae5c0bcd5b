import { constants, lstatSync, type Stats } from 'node:fs';
import type { Leaf, PlacedPath } from '../file-area.ts';
import { attrsPacket, statusPacket, type Attrs } from '../packets.ts';
import { status } from '../protocol.ts';
import { NOT_FOUND } from '../refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import { system } from '../system-calls.ts';
import { parsePath, toBytes, type Area, type ByteString } from '../virtual-path.ts';
import { applyToPinned } from './apply-attrs.ts';

export const stat: RequestHandler = async (session, id, fields) =>
  toAnswer(id, await attrsOf(session, fields.byteString(), true));

export const lstat: RequestHandler = async (session, id, fields) =>
  toAnswer(id, await attrsOf(session, fields.byteString(), false));

/** Answers "not found" without throwing: it is a frequent answer, and creating an error costs more than the lookup. */
function toAnswer(id: number, attrs: Attrs | undefined): Buffer {
  return attrs === undefined ? statusPacket(id, status.NO_SUCH_FILE, NOT_FOUND) : attrsPacket(id, attrs);
}

/** @returns undefined if nothing exists at the path */
async function attrsOf(session: SftpSession, text: string, follow: boolean): Promise<Attrs | undefined> {
  const path = parsePath(text);
  if (path.area === null) return rootAttrs(session, 'templates');
  const own = await ownAttrs(session, path);
  // The target of a link must be looked up within the jail.
  if (own !== null && !(follow && own?.isSymbolicLink() === true)) return own;
  const pinned = await session.area.pin(path, follow);
  try {
    return pinned.stat();
  } finally {
    pinned.close();
  }
}

/**
 * @returns the attributes of the path's last name, not followed; undefined if nothing exists there; null if the
 *   path must be pinned
 */
async function ownAttrs(session: SftpSession, path: PlacedPath): Promise<Stats | undefined | null> {
  const leaf = await session.area.leaf(path);
  if (leaf === null) return null;
  try {
    return await lookAt(leaf, leaf.path);
  } finally {
    leaf.close();
  }
}

/** @returns the attributes of a name in a pinned folder, not followed; undefined if nothing exists there */
export async function lookAt({ look }: Pick<Leaf, 'look'>, path: ByteString): Promise<Stats | undefined> {
  const name = toBytes(path);
  try {
    return await look(
      () => lstatSync(name, { throwIfNoEntry: false }),
      () => system.lstat(name),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the attributes of the virtual root or of one of its two folders. No entries can be created or removed in
 * the root.
 */
export async function rootAttrs(session: SftpSession, area: Area): Promise<Attrs> {
  const pinned = await session.area.pin({ area, names: [] }, true);
  try {
    const { size, uid, gid, atimeMs, mtimeMs } = pinned.stat();
    return { size, uid, gid, atimeMs, mtimeMs, mode: constants.S_IFDIR | 0o755 };
  } finally {
    pinned.close();
  }
}

export const setstat: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const path = session.placed(fields.byteString());
  const change = fields.attrs();
  const pinned = await session.area.pin(path, true);
  try {
    await applyToPinned(pinned, change);
  } finally {
    pinned.close();
  }
  if (change.size !== undefined) session.emit('files.written', path);
  return statusPacket(id, status.OK, 'Done');
};
