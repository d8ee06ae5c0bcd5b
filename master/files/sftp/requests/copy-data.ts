import { fstatSync } from 'node:fs';
import { statusPacket } from '../protocol/packets.ts';
import { status } from '../protocol/protocol.ts';
import { failure, forbidden } from '../protocol/refusal.ts';
import type { RequestHandler } from '../session.ts';
import { system } from '../jail/system-calls.ts';
import type { OpenFile } from '../handles.ts';
import { readPieces, type FileRange } from './pieces.ts';

/**
 * `copy-data`: copies from one open file to another on the master (draft-ietf-secsh-filexfer-extensions-00, section
 * 7). No other request of the same session runs at the same time (name-order.ts), so two copies cannot wait for each
 * other forever.
 */
export const copyData: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  const from = session.handles.file(fields.bytes());
  const range = { offset: fields.u64(), length: fields.u64() };
  const to = session.handles.file(fields.bytes());
  let position = fields.u64();
  if (!from.readable) throw forbidden('The file to copy from was opened for writing only');
  if (!to.writable) throw forbidden('The file to copy to was opened for reading only');
  if (position === Infinity) throw failure('The file would be too large');
  if (isSame(from.file, to.file)) throw failure('A file cannot be copied onto itself');
  // Refuses a copy that is too large before it begins. Each piece is checked again later, because other writes
  // continue in the meantime.
  to.limit.require(copiedBytes(from, range));
  to.changed = true;
  const write = async (piece: Buffer): Promise<void> => {
    for (let at = 0; at < piece.length;) {
      const bytes = piece.length - at;
      await to.growing.write({ position, bytes }, () =>
        to.guard(async () => {
          const { bytesWritten } = await system.write(to.file, piece, at, bytes, position);
          at += bytesWritten;
          position += bytesWritten;
        }),
      );
    }
  };
  const reading = { file: from.file, range, isWanted: () => !session.handles.ended };
  const copied = await to.queue.alone(() => from.queue.read(() => readPieces(reading, write)));
  return copied < range.length
    ? statusPacket(id, status.EOF, 'The file ended before all of it was copied')
    : statusPacket(id, status.OK, 'Done');
};

/** Returns the number of bytes that a copy reads at most. A length of 0 means everything up to the end. */
function copiedBytes({ file }: OpenFile, { offset, length }: FileRange): number {
  const rest = Math.max(0, fstatSync(file).size - offset);
  return length === 0 ? rest : Math.min(rest, length);
}

function isSame(one: number, other: number): boolean {
  const [a, b] = [fstatSync(one, { bigint: true }), fstatSync(other, { bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}
