import { constants, type StatsBase } from 'node:fs';
import { attrFlag, extensions, response, VERSION, type StatusCode } from './protocol.ts';

/** The attributes of a file that version 3 of the protocol can transfer. */
export type Attrs = Pick<StatsBase<number>, 'size' | 'uid' | 'gid' | 'mode' | 'atimeMs' | 'mtimeMs'>;

/** An entry of a NAME answer. Both names are byte strings. */
export interface NameEntry {
  readonly name: string;
  /** Line for the entry in the format of `ls -l`. */
  readonly longName: string;
  /** Undefined in an answer that contains only a path, such as the answer to REALPATH. */
  readonly attrs: Attrs | undefined;
}

const HEADER_BYTES = 9;
const ATTRS_BYTES = 32;

/** Allocates a packet. Writes length, type and request id, and leaves room for `bodyBytes` from offset 9. */
function packet(type: number, id: number, bodyBytes: number): Buffer {
  const out = Buffer.allocUnsafe(HEADER_BYTES + bodyBytes);
  writeHead(out, { type, id, bodyBytes });
  return out;
}

function writeHead(
  out: Buffer,
  { type, id, bodyBytes }: { readonly type: number; readonly id: number; readonly bodyBytes: number },
): void {
  out.writeUInt32BE(5 + bodyBytes, 0);
  out.writeUInt8(type, 4);
  out.writeUInt32BE(id, 5);
}

/** Builds the answer to INIT: the protocol version and the supported extensions. */
export function versionPacket(): Buffer {
  const fields = Object.entries(extensions).flatMap(([name, version]) => [field(name), field(version)]);
  const body = Buffer.concat(fields);
  const head = Buffer.allocUnsafe(HEADER_BYTES);
  head.writeUInt32BE(5 + body.length, 0);
  head.writeUInt8(response.VERSION, 4);
  head.writeUInt32BE(VERSION, 5);
  return Buffer.concat([head, body]);
}

/** Builds the answer STATUS, with a message that the client shows. */
export function statusPacket(id: number, code: StatusCode, message: string): Buffer {
  const text = Buffer.from(message, 'utf8');
  const out = packet(response.STATUS, id, 4 + 4 + text.length + 4);
  out.writeUInt32BE(code, 9);
  out.writeUInt32BE(text.length, 13);
  text.copy(out, 17);
  out.writeUInt32BE(0, 17 + text.length);
  return out;
}

/** Builds the answer HANDLE, which contains the 4 bytes of a handle's number. */
export function handlePacket(id: number, handle: number): Buffer {
  const out = packet(response.HANDLE, id, 8);
  out.writeUInt32BE(4, 9);
  out.writeUInt32BE(handle, 13);
  return out;
}

/** Offset of the data in a DATA packet (bytes). */
export const DATA_OFFSET = 13;

/**
 * Turns a buffer into a DATA packet, without copying. The buffer must already contain the file's bytes, starting at
 * {@link DATA_OFFSET}.
 *
 * @param bytes number of bytes that were read
 * @returns the part of the buffer that is the packet
 */
export function toDataPacket(out: Buffer, id: number, bytes: number): Buffer {
  writeHead(out, { type: response.DATA, id, bodyBytes: 4 + bytes });
  out.writeUInt32BE(bytes, 9);
  return out.subarray(0, DATA_OFFSET + bytes);
}

/** Builds the answer ATTRS. */
export function attrsPacket(id: number, attrs: Attrs): Buffer {
  const out = packet(response.ATTRS, id, ATTRS_BYTES);
  writeAttrs(out, HEADER_BYTES, attrs);
  return out;
}

/** Builds the answer NAME with entries of a folder, or with the one name that REALPATH and READLINK return. */
export function namePacket(id: number, entries: readonly NameEntry[]): Buffer {
  const bytes = entries.reduce(
    (sum, { name, longName, attrs }) =>
      sum + 8 + name.length + longName.length + (attrs === undefined ? 4 : ATTRS_BYTES),
    4,
  );
  const out = packet(response.NAME, id, bytes);
  out.writeUInt32BE(entries.length, 9);
  let at = 13;
  for (const { name, longName, attrs } of entries) {
    for (const text of [name, longName]) {
      out.writeUInt32BE(text.length, at);
      out.write(text, at + 4, 'latin1');
      at += 4 + text.length;
    }
    if (attrs === undefined) out.writeUInt32BE(0, at);
    else writeAttrs(out, at, attrs);
    at += attrs === undefined ? 4 : ATTRS_BYTES;
  }
  return out;
}

/** Builds an answer to an extended request that consists of 64-bit numbers. */
export function numbersPacket(id: number, numbers: readonly bigint[]): Buffer {
  const out = packet(response.EXTENDED_REPLY, id, numbers.length * 8);
  numbers.forEach((value, i) => out.writeBigUInt64BE(BigInt.asUintN(64, value), HEADER_BYTES + i * 8));
  return out;
}

/**
 * Builds the answer to a request for hashes of a file (draft-ietf-secsh-filexfer-extensions-00, section 3).
 *
 * @param texts texts before the hashes: the extension's name if the client expects it, and then the algorithm
 */
export function hashesPacket(id: number, texts: readonly string[], hashes: Buffer): Buffer {
  const body = Buffer.concat([...texts.map((text) => field(text)), hashes]);
  const out = packet(response.EXTENDED_REPLY, id, body.length);
  body.copy(out, HEADER_BYTES);
  return out;
}

function writeAttrs(out: Buffer, at: number, attrs: Attrs): void {
  const flags = attrFlag.SIZE | attrFlag.UIDGID | attrFlag.PERMISSIONS | attrFlag.ACMODTIME;
  out.writeUInt32BE(flags, at);
  out.writeBigUInt64BE(BigInt(attrs.size), at + 4);
  out.writeUInt32BE(attrs.uid, at + 12);
  out.writeUInt32BE(attrs.gid, at + 16);
  out.writeUInt32BE(attrs.mode & (constants.S_IFMT | 0o7777), at + 20);
  out.writeUInt32BE(seconds(attrs.atimeMs), at + 24);
  out.writeUInt32BE(seconds(attrs.mtimeMs), at + 28);
}

/**
 * Converts milliseconds to seconds (32 bits in version 3). A time before 1970 or after 2106 becomes the nearest
 * valid value.
 */
function seconds(ms: number): number {
  return Math.min(Math.max(Math.floor(ms / 1000), 0), 0xffff_ffff);
}

function field(text: string): Buffer {
  const out = Buffer.allocUnsafe(4 + text.length);
  out.writeUInt32BE(text.length, 0);
  out.write(text, 4, 'latin1');
  return out;
}
