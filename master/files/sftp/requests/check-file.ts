import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import type { PacketReader } from '../protocol/packet-reader.ts';
import { hashesPacket } from '../protocol/packets.ts';
import { MAX_DATA_BYTES, openFlag } from '../protocol/protocol.ts';
import { failure, forbidden } from '../protocol/refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import { isInView, parsePath } from '../protocol/virtual-path.ts';
import { closeOpened, openInside } from './open-file.ts';
import { readPieces, type FileRange } from './pieces.ts';

/**
 * Hash algorithms: the names that clients use, and the names in the crypto module of Node.js. Clients use the names
 * of the draft, or the names of IANA's list (WinSCP).
 */
const ALGORITHMS: ReadonlyMap<string, string> = new Map(
  ['sha256', 'sha512', 'sha384', 'sha224', 'sha1', 'md5'].flatMap((name) => [
    [name, name],
    [name.replace('sha', 'sha-'), name],
  ]),
);

/**
 * Minimum size of a block for which a client can request a hash (bytes; draft-ietf-secsh-filexfer-extensions-00,
 * section 3).
 */
const MIN_BLOCK_BYTES = 256;

interface Check {
  /** `named`: the name that the client uses. `known`: the name in the crypto module of Node.js. */
  readonly algorithm: { readonly named: string; readonly known: string };
  readonly range: FileRange;
  /** Size of a block (bytes); 0 requests one hash of the whole range. */
  readonly blockBytes: number;
}

/** `check-file-handle`: returns hashes of a file that is open for reading. */
export const checkFileHandle: RequestHandler = (session, id, fields) =>
  answerByHandle(session, { id, fields });

/**
 * `check-file` with a handle, which paramiko sends. Unlike in {@link checkFileHandle}, the answer begins with the
 * name of the extension.
 */
export const checkFile: RequestHandler = (session, id, fields) =>
  answerByHandle(session, { id, fields, before: ['check-file'] });

/** `check-file-name`: returns hashes of the file at a path. Links inside the jail are followed. */
export const checkFileName: RequestHandler = async (session, id, fields) => {
  session.requireRead();
  const virtual = parsePath(fields.byteString());
  if (isInView(virtual)) throw forbidden('Hashes of files of services and volumes are not available');
  const path = session.toPlaced(virtual);
  const check = readCheck(fields);
  const { file } = await openInside(session.area, { path, flags: openFlag.READ, permissions: undefined });
  try {
    return hashesPacket(id, [check.algorithm.named], await hashes(session, file, check));
  } finally {
    closeOpened(file);
  }
};

async function answerByHandle(
  session: SftpSession,
  request: { readonly id: number; readonly fields: PacketReader; readonly before?: readonly string[] },
): Promise<Buffer> {
  session.requireRead();
  const open = session.handles.file(request.fields.bytes());
  const check = readCheck(request.fields);
  if (!open.readable) throw forbidden('The file was opened for writing only');
  const all = await open.queue.read(() => hashes(session, open.file, check));
  return hashesPacket(request.id, [...(request.before ?? []), check.algorithm.named], all);
}

function readCheck(fields: PacketReader): Check {
  const named = fields.byteString().split(',');
  const offset = fields.u64();
  const length = fields.u64();
  const blockBytes = fields.u32();
  const chosen = named.find((name) => ALGORITHMS.has(name));
  const known = chosen === undefined ? undefined : ALGORITHMS.get(chosen);
  if (chosen === undefined || known === undefined) {
    throw failure('None of these hash algorithms is supported; use sha256, sha512, sha1 or md5');
  }
  if (blockBytes !== 0 && blockBytes < MIN_BLOCK_BYTES) throw failure('A block must have at least 256 bytes');
  return { algorithm: { named: chosen, known }, range: { offset, length }, blockBytes };
}

/**
 * Computes the hashes of a range of a file.
 *
 * @returns the hashes of all blocks, concatenated
 * @throws Refusal if the user may no longer read the contents of files
 */
async function hashes(
  session: SftpSession,
  file: number,
  { algorithm, range, blockBytes }: Check,
): Promise<Buffer> {
  const hashBytes = createHash(algorithm.known).digest().length;
  const rest = Math.max(0, fstatSync(file).size - range.offset);
  const bytes = range.length === 0 ? rest : Math.min(rest, range.length);
  if (blockBytes !== 0 && Math.ceil(bytes / blockBytes) * hashBytes > MAX_DATA_BYTES) {
    throw failure('Too many blocks for one answer; request larger blocks or a part of the file');
  }
  const done: Buffer[] = [];
  let hash = createHash(algorithm.known);
  let inBlock = 0;
  await readPieces({ file, range, isWanted: () => !session.handles.ended }, (piece) => {
    for (let at = 0; at < piece.length;) {
      const take = blockBytes === 0 ? piece.length - at : Math.min(piece.length - at, blockBytes - inBlock);
      hash.update(piece.subarray(at, at + take));
      at += take;
      inBlock += take;
      if (inBlock !== blockBytes) continue;
      done.push(hash.digest());
      hash = createHash(algorithm.known);
      inBlock = 0;
    }
  });
  // This is the hash of the last, shorter block or, without a block size, of the whole range. readPieces stops at the
  // size that the file had at the start, so a growing file cannot exceed the limit that was checked above.
  if (inBlock > 0 || blockBytes === 0) done.push(hash.digest());
  // An owner can withdraw the right to read files while a large file is read.
  session.requireRead();
  return Buffer.concat(done);
}
