import { constants, fstatSync } from 'node:fs';
import { PUT_FILE_MOST_BYTES, PUT_FILE_REPLACE } from '#shared/sftp/put-file.ts';
import { moveExclusive } from '../jail/move-exclusive.ts';
import type { AttrsChange } from '../protocol/packet-reader.ts';
import { statusPacket } from '../protocol/packets.ts';
import { status } from '../protocol/protocol.ts';
import { failure } from '../protocol/refusal.ts';
import type { RequestHandler } from '../session.ts';
import { system } from '../jail/system-calls.ts';
import { parsePath, toBytes } from '../protocol/virtual-path.ts';
import { refuseOwner, toFileMode } from './apply-attrs.ts';
import { NEW_FILE } from './open-file.ts';

/** Flag that refuses links. It does not exist on Windows. */
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

interface NewFile {
  readonly data: Buffer;
  readonly change: AttrsChange;
}

/** `put-file@overworld`: writes a small file with a single request (shared/sftp/put-file.ts). */
export const putFile: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const one = parsePath(fields.byteString());
  const other = parsePath(fields.byteString());
  const replaces = (fields.u32() & PUT_FILE_REPLACE) !== 0;
  const change = fields.attrs();
  const data = fields.bytes();
  if (change.size !== undefined) throw failure('The size cannot be set; it is the size of the data');
  if (data.length > PUT_FILE_MOST_BYTES) throw failure('The file is too large for one request');
  await session.changingBoth(one, other, async (part, target) => {
    target.limit.requireEntry();
    const [from, to] = await target.area.entries(part.path, target.path);
    try {
      const path = toBytes(from.path);
      // Because of O_EXCL, this request has created the temporary file, so it may remove the file if a later step
      // fails.
      const file = await system.open(path, NEW_FLAGS, toFileMode(change.permissions ?? NEW_FILE));
      try {
        await target.limit.use(data.length, () => fill(file, { data, change }));
        if (replaces) await system.move(path, toBytes(to.path));
        else await moveExclusive(from, to);
      } catch (error) {
        // Ignores errors of the clean-up, so that the client receives the first error.
        await system.remove(path).catch(() => undefined);
        throw error;
      }
    } finally {
      from.close();
      to.close();
    }
    session.emit('files.written', target.shown);
  });
  return statusPacket(id, status.OK, 'Done');
};

const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;

/** Writes the data, and sets mode and times. Always closes the file. */
async function fill(file: number, { data, change }: NewFile): Promise<void> {
  try {
    const stats = fstatSync(file);
    refuseOwner(change, () => stats);
    for (let at = 0; at < data.length;) {
      at += (await system.write(file, data, at, data.length - at)).bytesWritten;
    }
    // Sets the mode again, because the umask of the process may have cleared bits of it.
    const mode = change.permissions === undefined ? undefined : toFileMode(change.permissions);
    if (mode !== undefined && (stats.mode & 0o777) !== mode) await system.chmod(file, mode);
    if (change.times !== undefined) await system.setTimes(file, change.times.access, change.times.modified);
  } catch (error) {
    await system.close(file).catch(() => undefined);
    throw error;
  }
  await system.close(file);
}
