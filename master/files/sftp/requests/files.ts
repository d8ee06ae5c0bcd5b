import { fstatSync, readSync, writevSync } from 'node:fs';
import { closeOpen, type OpenHandle, type OpenFile } from '../handles.ts';
import { OperationQueue } from '../operation-queue.ts';
import { attrsPacket, DATA_OFFSET, handlePacket, statusPacket, toDataPacket } from '../protocol/packets.ts';
import { SMALL_BYTES } from '../jail/pool-bypass.ts';
import { MAX_DATA_BYTES, openFlag, status } from '../protocol/protocol.ts';
import { failure, forbidden } from '../protocol/refusal.ts';
import type { AttrsChange } from '../protocol/packet-reader.ts';
import type { RequestHandler, SftpSession, FileTarget } from '../session.ts';
import { system } from '../jail/system-calls.ts';
import { isInView, parsePath } from '../protocol/virtual-path.ts';
import { applyToFile } from './apply-attrs.ts';
import { removeIfCutOff } from './cut-off-file.ts';
import { GrowingFile } from '../growing-file.ts';
import { openInside, replaces, writes } from './open-file.ts';
import type { WriteHold } from '../views/view.ts';
import { openViewFile, readViewFile } from './views.ts';

/** OPEN: opens a file, or creates it if the flags ask for it, and returns a handle. */
export const open: RequestHandler = async (session, id, fields) => {
  const path = parsePath(fields.byteString());
  const flags = fields.u32();
  const attrs = fields.attrs();
  if (writes(flags)) session.requireWrite();
  else session.requireRead();
  const number = await session.handles.reserve(() =>
    isInView(path) && !writes(flags)
      ? openViewFile(session, path)
      : session.changing(path, (target) => openTarget(session, target, { flags, attrs })),
  );
  return handlePacket(id, number);
};

/**
 * Opens a file on disk. If the file belongs to a view, ignores the flag for reading, because views hide parts of the
 * contents.
 */
async function openTarget(
  session: SftpSession,
  target: FileTarget,
  { flags, attrs }: { readonly flags: number; readonly attrs: AttrsChange },
): Promise<OpenFile> {
  const { change } = target;
  if (change === null) return openHeld(session, target, { flags, attrs, hold: null });
  const hold = await change.hold();
  try {
    return await openHeld(session, target, { flags: flags & ~openFlag.READ, attrs, hold });
  } catch (error) {
    hold.release();
    throw error;
  }
}

interface HeldOpening {
  readonly flags: number;
  readonly attrs: AttrsChange;
  /** The access to the file, which a view can end. Null outside of views. */
  readonly hold: WriteHold | null;
}

async function openHeld(
  session: SftpSession,
  { area, path, limit, shown }: FileTarget,
  { flags, attrs, hold }: HeldOpening,
): Promise<OpenFile> {
  if (replaces(flags)) limit.requireEntry();
  if (writes(flags)) limit.require(attrs.size ?? 0);
  const { changes } = session;
  const { permissions } = attrs;
  const { file, size, changed } = await openInside(area, { path, flags, permissions, changes });
  const calls = writes(flags) ? changes : session.reads;
  const append = (flags & openFlag.APPEND) !== 0;
  const growing = new GrowingFile(file, limit);
  const guard: OpenFile['guard'] = hold === null ? (work) => work() : (work) => hold.run(work);
  const queue = new OperationQueue((buffers, position) =>
    growing.write({ position: append ? null : position, bytes: totalBytes(buffers) }, () =>
      guard(() => writeAll({ file, calls }, buffers, append ? null : position)),
    ),
  );
  return {
    kind: 'file',
    file,
    area,
    path,
    shown,
    queue,
    calls,
    limit,
    guard,
    growing,
    release: () => hold?.release(),
    readable: (flags & openFlag.READ) !== 0 || !writes(flags),
    writable: (flags & (openFlag.WRITE | openFlag.APPEND)) !== 0,
    isNew: changed,
    changed,
    size: writes(flags) ? Infinity : size,
  };
}

/** CLOSE: closes the file or folder of a handle, see {@link finish}. */
export const close: RequestHandler = async (session, id, fields) => {
  const open = session.handles.take(fields.bytes());
  await finish(session, open);
  return statusPacket(id, status.OK, 'Done');
};

/**
 * Closes a file or folder when the client closes it or the session ends. Emits an event for a file that was written
 * to. If the reserve of the disk or a quota has cut off a new file, removes it first, because services would start
 * with an incomplete file.
 *
 * @throws errno errors of `close`
 */
export async function finish(session: SftpSession, open: OpenHandle): Promise<void> {
  let removed = false;
  try {
    if (open.kind === 'file') removed = await open.queue.alone(() => removeIfCutOff(open));
    await closeOpen(open);
  } finally {
    if (open.kind === 'file' && open.changed)
      session.emit(removed ? 'files.deleted' : 'files.written', open.shown);
  }
}

/**
 * READ: returns bytes of an open file, or the status EOF at its end. Checks the right to read on each request,
 * because an owner can withdraw this right while the file is open.
 */
export const read: RequestHandler = (session, id, fields) => {
  session.requireRead();
  const open = session.handles.get(fields.bytes());
  const position = fields.u64();
  const length = Math.min(fields.u32(), MAX_DATA_BYTES);
  if (open.kind === 'view file') return readViewFile(session, open, { id, position, length });
  if (open.kind !== 'file') throw failure('This handle is a folder');
  if (!open.readable) throw forbidden('The file was opened for writing only');
  // Takes the buffer now and not when the read starts, so that the session counts the bytes of all answers that it
  // will send.
  const out = session.buffers.lend(DATA_OFFSET + length);
  const giveBack = (): boolean => session.buffers.giveBack(out);
  return open.queue.read(async () => {
    try {
      const bytes = isAtEnd(open, position) ? 0 : await readAt(open, { out, position, length });
      if (bytes > 0) return toDataPacket(out, id, bytes);
    } catch (error) {
      giveBack();
      throw error;
    }
    giveBack();
    return statusPacket(id, status.EOF, 'End of file');
  });
};

/**
 * Returns whether no data is left to read at `position`. After a small file, clients send a second read only to learn
 * that the file has ended. This check needs no disk access, because the kernel has the file's size in memory.
 */
function isAtEnd({ file, size }: OpenFile, position: number): boolean {
  return position === Infinity || (position >= size && position >= fstatSync(file).size);
}

/** Reads from the file into the buffer, after the space for the packet header. @returns the number of bytes read */
async function readAt(
  { file, size, calls }: OpenFile,
  { out, position, length }: { readonly out: Buffer; readonly position: number; readonly length: number },
): Promise<number> {
  const later = async (): Promise<number> =>
    (await system.read(file, out, DATA_OFFSET, length, position)).bytesRead;
  if (size > SMALL_BYTES) return later();
  return calls.run(() => readSync(file, out, DATA_OFFSET, length, position), later);
}

/** WRITE: writes bytes to an open file at a position. Consecutive writes are merged. */
export const write: RequestHandler = (session, id, fields) => {
  const open = session.handles.file(fields.bytes());
  const position = fields.u64();
  const data = fields.bytes();
  if (!open.writable) throw forbidden('The file was opened for reading only');
  if (position === Infinity) throw failure('The file would be too large');
  open.changed = true;
  return new Promise((resolve, reject) => {
    const done = (): void => resolve(statusPacket(id, status.OK, 'Done'));
    open.queue.write({ position, data, done, failed: reject });
  });
};

/**
 * Writes all buffers. A system call may write only a part of the buffers, mostly when the disk is almost full. The
 * next system call then reports the error.
 *
 * @param position offset in the file; null for a file that was opened for appending
 */
async function writeAll(
  { file, calls }: Pick<OpenFile, 'file' | 'calls'>,
  buffers: readonly Buffer[],
  position: number | null,
): Promise<void> {
  let rest = [...buffers];
  let at = position;
  while (rest.length > 0) {
    const later = async (): Promise<number> =>
      (await system.writev(file, rest, at ?? undefined)).bytesWritten;
    const isSmall = totalBytes(rest) <= SMALL_BYTES;
    const bytesWritten = await (isSmall
      ? calls.run(() => writevSync(file, rest, at ?? undefined), later)
      : later());
    if (at !== null) at += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
}

function totalBytes(buffers: readonly Buffer[]): number {
  return buffers.reduce((bytes, { length }) => bytes + length, 0);
}

function skip(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  return buffers.flatMap((buffer) => {
    const cut = Math.min(left, buffer.length);
    left -= cut;
    return cut === buffer.length ? [] : [buffer.subarray(cut)];
  });
}

/** FSTAT: returns the attributes of an open file or folder. */
export const fstat: RequestHandler = async (session, id, fields) => {
  const open = session.handles.get(fields.bytes());
  switch (open.kind) {
    case 'file':
      // Does not use the thread pool, which would be slower, because the kernel has the attributes of an open file in
      // memory.
      return attrsPacket(id, await open.queue.read(() => Promise.resolve().then(() => fstatSync(open.file))));
    case 'folder':
      return attrsPacket(id, open.folder.stat());
    case 'view file':
      return attrsPacket(id, open.file.attrs);
    case 'view folder':
      return attrsPacket(id, open.folder.attrs);
    case 'root':
      throw failure('The root folder has no attributes of its own');
  }
};

/** FSETSTAT: changes the attributes of an open file. Needs the right to write. */
export const fsetstat: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const open = session.handles.file(fields.bytes());
  const change = fields.attrs();
  if (change.size !== undefined) {
    if (!open.writable) throw forbidden('The file was opened for reading only');
    open.changed = true;
  }
  await open.queue.alone(() => open.guard(() => applyToFile(open.file, change, open.limit)));
  return statusPacket(id, status.OK, 'Done');
};

/** `fsync@openssh.com`: flushes the content of an open file to the disk. */
export const fsync: RequestHandler = async (session, id, fields) => {
  const open = session.handles.file(fields.bytes());
  await open.queue.alone(() => system.sync(open.file));
  return statusPacket(id, status.OK, 'Done');
};
