import { statfs } from 'node:fs/promises';
import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { PlacedPath } from '../jail/file-area.ts';
import { numbersPacket } from '../protocol/packets.ts';
import { MAX_DATA_BYTES, MAX_HANDLES, MAX_PACKET_BYTES, status } from '../protocol/protocol.ts';
import { forbidden, Refusal } from '../protocol/refusal.ts';
import type { RequestHandler } from '../session.ts';
import { isInView, parsePath, toBytes } from '../protocol/virtual-path.ts';
import { checkFile, checkFileHandle, checkFileName } from './check-file.ts';
import { copyData } from './copy-data.ts';
import { fsync } from './files.ts';
import { posixRename } from './names.ts';
import { putFile } from './put-file.ts';

/** Maximum length of a file name on the supported file systems (bytes). */
const NAME_MAX = 255n;

/** Flag of statvfs for a read-only file system. Source: OpenSSH's PROTOCOL, section 4.4. */
const ST_RDONLY = 1n;

/**
 * `statvfs@openssh.com`: reports the space of the disk. The reserve does not count as free for users, so that clients
 * can tell how much they can upload.
 */
const statvfs: RequestHandler = async (session, id, fields) => {
  const path = parsePath(fields.byteString());
  const isDisk = path.area !== null && !isInView(path);
  const placed: PlacedPath = isDisk ? path : { area: 'templates', names: [] };
  const pinned = await session.area.pin(placed, true);
  try {
    const disk = await statfs(toBytes(pinned.path), { bigint: true });
    const { bsize, blocks, bfree, bavail, files, ffree } = disk;
    const reserved = session.area.reserve(placed.area).reservedBytes(Number(blocks * bsize));
    const usable = bavail - BigInt(Math.ceil(reserved / Number(bsize)));
    const flag = session.mayWrite && path.area !== 'services' ? 0n : ST_RDONLY;
    return numbersPacket(id, [
      bsize,
      bsize,
      blocks,
      bfree,
      usable > 0n ? usable : 0n,
      files,
      ffree,
      ffree,
      0n,
      flag,
      NAME_MAX,
    ]);
  } finally {
    pinned.close();
  }
};

/**
 * `limits@openssh.com`: reports the size limits, so that OpenSSH's client uses packets of 256 KB instead of 32 KB.
 */
const limits: RequestHandler = (_session, id) =>
  Promise.resolve(
    numbersPacket(id, [
      BigInt(MAX_PACKET_BYTES),
      BigInt(MAX_DATA_BYTES),
      BigInt(MAX_DATA_BYTES),
      BigInt(MAX_HANDLES),
    ]),
  );

const hardlink: RequestHandler = () => {
  throw forbidden('Links cannot be created here; copy the file instead');
};

/** Handler of each extended request, by its name. */
export const extendedHandlers: ReadonlyMap<string, RequestHandler> = new Map([
  ['posix-rename@openssh.com', posixRename],
  ['statvfs@openssh.com', statvfs],
  ['fsync@openssh.com', fsync],
  ['limits@openssh.com', limits],
  ['hardlink@openssh.com', hardlink],
  ['copy-data', copyData],
  ['check-file', checkFile],
  ['check-file-handle', checkFileHandle],
  ['check-file-name', checkFileName],
  [PUT_FILE, putFile],
]);

/** EXTENDED: passes a request to the handler of its extension. @throws Refusal for an unknown extension */
export const extended: RequestHandler = (session, id, fields) => {
  const handler = extendedHandlers.get(fields.byteString());
  if (handler === undefined)
    throw new Refusal(status.OP_UNSUPPORTED, 'The master does not support this request');
  return handler(session, id, fields);
};
