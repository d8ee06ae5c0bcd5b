import { lstatSync, unlinkSync } from 'node:fs';
import { readlink as readLink, rename as move } from 'node:fs/promises';
import type { PinnedEntry } from '../jail/file-area.ts';
import { namePacket, statusPacket } from '../protocol/packets.ts';
import { moveExclusive } from '../jail/move-exclusive.ts';
import type { PacketReader } from '../protocol/packet-reader.ts';
import { SMALL_BYTES } from '../jail/pool-bypass.ts';
import { status } from '../protocol/protocol.ts';
import { failure, forbidden, notFound } from '../protocol/refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import { system } from '../jail/system-calls.ts';
import { formatPath, isInView, parsePath, toBytes } from '../protocol/virtual-path.ts';

/** REMOVE: deletes a file or link, and refuses a folder. Needs the right to write. */
export const remove: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  await session.changing(parsePath(fields.byteString()), async ({ area, path, shown }) => {
    const entry = await area.entry(path);
    try {
      const name = toBytes(entry.path);
      const { run } = session.changes;
      const stats = await run(
        () => lstatSync(name),
        () => system.lstat(name),
      );
      if (stats.isDirectory()) throw failure('It is a folder');
      const later = (): Promise<void> => system.remove(name);
      await (stats.size > SMALL_BYTES ? later() : run(() => unlinkSync(name), later));
    } finally {
      entry.close();
    }
    session.emit('files.deleted', shown);
  });
  return statusPacket(id, status.OK, 'Done');
};

/** RENAME of version 3: fails if the target exists (draft 02, section 6.5). */
export const rename: RequestHandler = (session, id, fields) =>
  renameWith(session, { id, fields, step: moveExclusive });

/** `posix-rename@openssh.com`: replaces the target atomically, like rename(2). */
export const posixRename: RequestHandler = (session, id, fields) =>
  renameWith(session, { id, fields, step: (from, to) => move(toBytes(from.path), toBytes(to.path)) });

async function renameWith(
  session: SftpSession,
  request: {
    readonly id: number;
    readonly fields: PacketReader;
    readonly step: (from: PinnedEntry, to: PinnedEntry) => Promise<void>;
  },
): Promise<Buffer> {
  session.requireWrite();
  const one = parsePath(request.fields.byteString());
  const other = parsePath(request.fields.byteString());
  await session.changingBoth(one, other, async (source, target) => {
    const [from, to] = await source.area.entries(source.path, target.path);
    try {
      await request.step(from, to);
    } finally {
      from.close();
      to.close();
    }
    session.emitRename(source.shown, target.shown);
  });
  return statusPacket(request.id, status.OK, 'Done');
}

/**
 * REALPATH: returns the canonical form of a path. Does not follow links, and does not check whether the path exists.
 */
export const realpath: RequestHandler = (_session, id, fields) => {
  const name = formatPath(parsePath(fields.byteString()));
  return Promise.resolve(namePacket(id, [{ name, longName: name, attrs: undefined }]));
};

/** READLINK: returns the target of a link exactly as the link stores it. Refuses paths in views. */
export const readlink: RequestHandler = async (session, id, fields) => {
  const virtual = parsePath(fields.byteString());
  if (isInView(virtual))
    throw forbidden('Links in the folders of services are not read, and saves contain none');
  const path = session.toPlaced(virtual);
  const last = path.names.at(-1);
  if (last === undefined) throw failure('It is not a link');
  const folder = await session.area.pin({ area: path.area, names: path.names.slice(0, -1) }, true);
  try {
    if (!session.area.shows(folder, last)) throw notFound();
    const name = await readLink(toBytes(`${folder.path}/${last}`), { encoding: 'latin1' });
    return namePacket(id, [{ name, longName: name, attrs: undefined }]);
  } finally {
    folder.close();
  }
};

/** SYMLINK: always refused, because links could lead out of the file area. */
export const symlink: RequestHandler = () => {
  throw forbidden('Links cannot be created here; copy the file instead');
};
