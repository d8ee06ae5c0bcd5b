import { request } from '#master/files/sftp/protocol/protocol.ts';
import { field, u32, u64 } from '#test/support/files/raw-sftp.ts';
import type { Change, Step } from './session-steps.ts';

/** Types of requests with only a path, only a handle, or only two paths as fields. */
const pathRequests: Readonly<Record<string, number>> = {
  opendir: request.OPENDIR,
  remove: request.REMOVE,
  rmdir: request.RMDIR,
  stat: request.STAT,
  lstat: request.LSTAT,
  readlink: request.READLINK,
};
const handleRequests: Readonly<Record<string, number>> = { close: request.CLOSE, fstat: request.FSTAT };
const moves: Readonly<Record<string, readonly [number, ...Buffer[]]>> = {
  rename: [request.RENAME],
  symlink: [request.SYMLINK],
  replace: [request.EXTENDED, field('posix-rename@openssh.com')],
  hardlink: [request.EXTENDED, field('hardlink@openssh.com')],
};

type Packet = [number, ...Buffer[]];

/** Encodes a step: the type and the fields of its request. */
export function toPacket(step: Step, at: string, handle: (index: number) => Buffer): Packet {
  const place = (path: string): Buffer => field(`${at}/${path}`);
  const simple = pathRequests[step.kind] ?? handleRequests[step.kind];
  if (simple !== undefined && 'path' in step) return [simple, place(step.path)];
  if (simple !== undefined && 'handle' in step) return [simple, handle(step.handle)];
  const move = moves[step.kind];
  if (move !== undefined && 'path' in step && 'to' in step)
    return [...move, place(step.path), place(step.to)];
  return 'path' in step ? onPath(step, place(step.path)) : onHandle(step, handle);
}

function onPath(step: Step & { readonly path: string }, path: Buffer): Packet {
  switch (step.kind) {
    case 'open':
      return [
        request.OPEN,
        path,
        u32(step.flags),
        ...(step.mode === null ? [u32(0)] : [u32(4), u32(step.mode)]),
      ];
    case 'mkdir':
      return [request.MKDIR, path, u32(0)];
    case 'statvfs':
      return [request.EXTENDED, field('statvfs@openssh.com'), path];
    case 'setstat':
      return [request.SETSTAT, path, ...changeFields(step.change)];
    default:
      throw new Error(`no packet for ${step.kind}`);
  }
}

function onHandle(step: Step, handle: (index: number) => Buffer): Packet {
  switch (step.kind) {
    case 'fsync':
      return [request.EXTENDED, field('fsync@openssh.com'), handle(step.handle)];
    case 'read':
      return [request.READ, handle(step.handle), u64(step.at), u32(step.bytes)];
    case 'write':
      return [request.WRITE, handle(step.handle), u64(step.at), field(step.text)];
    case 'fsetstat':
      return [request.FSETSTAT, handle(step.handle), ...changeFields(step.change)];
    case 'copy-data':
      return [
        request.EXTENDED,
        field('copy-data'),
        handle(step.handle),
        u64(step.at),
        u64(step.bytes),
        handle(step.target),
        u64(step.to),
      ];
    default:
      throw new Error(`no packet for ${step.kind}`);
  }
}

function changeFields(change: Change): Buffer[] {
  if ('size' in change) return [u32(1), u64(change.size)];
  if ('mode' in change) return [u32(4), u32(change.mode)];
  return [u32(8), u32(change.times[0]), u32(change.times[1])];
}
