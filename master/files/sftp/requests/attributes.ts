import { constants, lstatSync, type Stats } from 'node:fs';
import type { Leaf, PlacedPath } from '../jail/file-area.ts';
import { attrsPacket, statusPacket, type Attrs } from '../protocol/packets.ts';
import { status } from '../protocol/protocol.ts';
import { NOT_FOUND } from '../protocol/refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import { system } from '../jail/system-calls.ts';
import { isInView, parsePath, toBytes, type Area, type ByteString } from '../protocol/virtual-path.ts';
import { applyToPinned } from './apply-attrs.ts';
import { viewAttrs } from './views.ts';

/** STAT: returns the attributes at a path. Links inside the file area are followed. */
export const stat: RequestHandler = async (session, id, fields) =>
  toAnswer(id, await attrsOf(session, fields.byteString(), true));

/**
 * LSTAT: returns the attributes at a path. If the object at the path is a link, returns the attributes of the link
 * itself.
 */
export const lstat: RequestHandler = async (session, id, fields) =>
  toAnswer(id, await attrsOf(session, fields.byteString(), false));

/**
 * Builds the answer with a file's attributes, or the answer "not found". "Not found" is a frequent answer. It is
 * built without throwing an error, because an error would cost more than the lookup.
 */
function toAnswer(id: number, attrs: Attrs | undefined): Buffer {
  return attrs === undefined ? statusPacket(id, status.NO_SUCH_FILE, NOT_FOUND) : attrsPacket(id, attrs);
}

/**
 * Returns the attributes of the object at a path.
 *
 * @param follow whether a link at the path is followed
 * @returns undefined if nothing exists at the path
 */
async function attrsOf(session: SftpSession, text: string, follow: boolean): Promise<Attrs | undefined> {
  const path = parsePath(text);
  if (path.area === null) return rootAttrs(session, 'templates');
  if (isInView(path)) return viewAttrs(session, path);
  const own = await ownAttrs(session, path);
  // The target of a link is looked up within the jail.
  if (own !== null && !(follow && own?.isSymbolicLink() === true)) return own;
  const pinned = await session.area.pin(path, follow);
  try {
    return pinned.stat();
  } finally {
    pinned.close();
  }
}

/**
 * Returns the attributes of the object at a path. Does not follow a link at the path.
 *
 * @returns undefined if nothing exists at the path; null if the caller must use {@link FileArea.pin}
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

/**
 * Returns the attributes of an entry of a pinned folder. Does not follow a link.
 *
 * @param path path of the entry for system calls
 * @returns undefined if the folder has no such entry
 */
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
 * Returns the attributes of an area, with the mode 0755. The root folder does not exist on disk, so callers show it
 * with the attributes of `templates`.
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

/** SETSTAT: changes the attributes at a path. Needs the right to write. */
export const setstat: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const path = parsePath(fields.byteString());
  const change = fields.attrs();
  await session.changing(path, async ({ area, path: placed, limit, shown }) => {
    const pinned = await area.pinToChange(placed);
    try {
      await applyToPinned(pinned, change, limit);
    } finally {
      pinned.close();
    }
    if (change.size !== undefined) session.emit('files.written', shown);
  });
  return statusPacket(id, status.OK, 'Done');
};
