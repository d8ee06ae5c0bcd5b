import { fstatSync } from 'node:fs';
import { closeOpen, type OpenFile } from '../handles.ts';
import { OperationQueue } from '../operation-queue.ts';
import { attrsPacket, DATA_OFFSET, handlePacket, statusPacket, toDataPacket } from '../packets.ts';
import { MAX_DATA_BYTES, openFlag, status } from '../protocol.ts';
import { failure, forbidden } from '../refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import { system } from '../system-calls.ts';
import { applyToFile } from './apply-attrs.ts';
import { openInside, writes } from './open-file.ts';

export const open: RequestHandler = async (session, id, fields) => {
  const path = session.placed(fields.byteString());
  const flags = fields.u32();
  const { permissions } = fields.attrs();
  if (writes(flags)) session.requireWrite();
  const number = await session.handles.reserve(async () => {
    const { file, changed } = await openInside(session.area, { path, flags, permissions });
    const append = (flags & openFlag.APPEND) !== 0;
    const queue = new OperationQueue((buffers, position) =>
      writeAll(file, buffers, append ? null : position),
    );
    if (!writes(flags)) session.ahead.begin(file, (work) => queue.read(work));
    return {
      kind: 'file',
      file,
      path,
      queue,
      readable: (flags & openFlag.READ) !== 0 || !writes(flags),
      writable: (flags & (openFlag.WRITE | openFlag.APPEND)) !== 0,
      changed,
      end: Infinity,
    };
  });
  return handlePacket(id, number);
};

export const close: RequestHandler = async (session, id, fields) => {
  const open = session.handles.take(fields.bytes());
  if (open.kind === 'file') session.ahead.forget(open.file);
  try {
    await closeOpen(open);
  } finally {
    if (open.kind === 'file') tellIfChanged(session, open);
  }
  return statusPacket(id, status.OK, 'Done');
};

/** Tells of a file that was written to, once it is closed: by the client, or as its session has ended. */
export function tellIfChanged(session: SftpSession, { changed, path }: OpenFile): void {
  if (changed) session.emit('files.written', path);
}

export const read: RequestHandler = (session, id, fields) => {
  const open = session.handles.file(fields.bytes());
  const position = fields.u64();
  const length = Math.min(fields.u32(), MAX_DATA_BYTES);
  if (!open.readable) throw forbidden('The file was opened for writing only');
  // At once, not when its turn comes: so the session knows what it has promised to send.
  const out = session.buffers.lend(DATA_OFFSET + length);
  const giveBack = (): boolean => session.buffers.giveBack(out);
  return open.queue.read(async () => {
    try {
      const ahead = position === 0 ? await session.ahead.take(open.file) : null;
      if (ahead !== null) {
        giveBack();
        open.end = ahead.length - DATA_OFFSET;
        return toDataPacket(ahead, id, Math.min(length, open.end));
      }
      const bytes = isAtEnd(open, position) ? 0 : await readAt(open, out, { position, length });
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
 * Tells whether nothing is left to read there. Clients read a small file a second time to be told its end; that the kernel
 * knows without a disk.
 */
function isAtEnd({ file, end }: OpenFile, position: number): boolean {
  return position === Infinity || (position >= end && position >= fstatSync(file).size);
}

/** Reads behind the head of a packet. @returns how many bytes were there to be read */
async function readAt(
  open: OpenFile,
  out: Buffer,
  { position, length }: { readonly position: number; readonly length: number },
): Promise<number> {
  const { bytesRead } = await system.read(open.file, out, DATA_OFFSET, length, position);
  if (bytesRead < length) open.end = position + bytesRead;
  return bytesRead;
}

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

/** A write may take less than all of it, mostly just before a disk is full; the next one then says so. */
async function writeAll(file: number, buffers: readonly Buffer[], position: number | null): Promise<void> {
  let rest = [...buffers];
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await system.writev(file, rest, at ?? undefined);
    if (at !== null) at += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
}

function skip(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  return buffers.flatMap((buffer) => {
    const cut = Math.min(left, buffer.length);
    left -= cut;
    return cut === buffer.length ? [] : [buffer.subarray(cut)];
  });
}

export const fstat: RequestHandler = async (session, id, fields) => {
  const open = session.handles.get(fields.bytes());
  switch (open.kind) {
    case 'file':
      // The kernel has it in memory while the file is open: not worth the way to another thread and back.
      return attrsPacket(id, await open.queue.read(() => Promise.resolve().then(() => fstatSync(open.file))));
    case 'folder':
      return attrsPacket(id, open.folder.stat());
    case 'root':
      throw failure('The top has no attributes of its own');
  }
};

export const fsetstat: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const open = session.handles.file(fields.bytes());
  const change = fields.attrs();
  if (change.size !== undefined) {
    if (!open.writable) throw forbidden('The file was opened for reading only');
    open.changed = true;
  }
  await open.queue.alone(() => applyToFile(open.file, change));
  return statusPacket(id, status.OK, 'Done');
};

export const fsync: RequestHandler = async (session, id, fields) => {
  const open = session.handles.file(fields.bytes());
  await open.queue.alone(() => system.sync(open.file));
  return statusPacket(id, status.OK, 'Done');
};
