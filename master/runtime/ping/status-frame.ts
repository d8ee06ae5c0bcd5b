/**
 * The part of the Minecraft protocol that a status ping needs: encoding and decoding of VarInts and frames. Source:
 * minecraft.wiki "Java Edition protocol"; a frame is VarInt length, VarInt packet id, body.
 */

/**
 * Size limit of an answer (bytes). The answer of a vanilla server has about 300 bytes; with a 64×64 icon and the
 * mod list of a modded server, some 100 KiB.
 */
export const MAX_FRAME_BYTES = 256 * 1024;

const MAX_VAR_INT_BYTES = 5;
const HANDSHAKE_PACKET = 0x00;
const STATUS_PACKET = 0x00;
const NEXT_STATE_STATUS = 1;
/**
 * Protocol version in the handshake that means "unknown": by convention, the client sends it to ask for the
 * server's version.
 */
const PROTOCOL_UNKNOWN = -1;

/**
 * Result of reading a value at an offset. `end` is the offset after the bytes that were read; `incomplete` means that
 * not enough bytes have arrived.
 */
export type ReadResult<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly end: number }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' };

/**
 * Encodes a signed 32-bit number as a VarInt: 7 bits per byte, lowest first, 1 to 5 bytes.
 *
 * Example: `encodeVarInt(300)` is the bytes `ac 02`.
 */
export function encodeVarInt(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/**
 * Reads a VarInt at `start`. Returns `malformed` if it is longer than 5 bytes.
 *
 * Example: the bytes `ac 02` give the value 300 and the end 2.
 */
export function readVarInt(bytes: Uint8Array, start: number): ReadResult<number> {
  let value = 0;
  for (let i = 0; i < MAX_VAR_INT_BYTES; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return { kind: 'incomplete' };
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { kind: 'ok', value, end: start + i + 1 };
  }
  return { kind: 'malformed' };
}

/** Encodes what a status ping sends: handshake and status request. `host` and `port` are those in the handshake. */
export function encodeStatusRequest(host: string, port: number): Buffer {
  const name = Buffer.from(host, 'utf8');
  const portBytes = Buffer.alloc(2);
  portBytes.writeUInt16BE(port);
  const handshake = Buffer.concat([
    encodeVarInt(HANDSHAKE_PACKET),
    encodeVarInt(PROTOCOL_UNKNOWN),
    encodeVarInt(name.length),
    name,
    portBytes,
    encodeVarInt(NEXT_STATE_STATUS),
  ]);
  const request = encodeVarInt(STATUS_PACKET);
  return Buffer.concat([encodeVarInt(handshake.length), handshake, encodeVarInt(request.length), request]);
}

/**
 * Reads the total size of the answer's frame, including its length field, from the first few bytes.
 *
 * Example: an answer that starts with `0a 00` has 11 bytes.
 *
 * @returns `malformed` if the frame is empty, is longer than {@link MAX_FRAME_BYTES} or contains another packet. The
 *   rest of such a frame need not be received. For example, "SSH-2.0…" of an SSH server looks like a frame of 83
 *   bytes
 */
export function readAnswerSize(bytes: Uint8Array): ReadResult<number> {
  const length = readVarInt(bytes, 0);
  if (length.kind !== 'ok') return length;
  if (length.value <= 0 || length.value > MAX_FRAME_BYTES) return { kind: 'malformed' };
  const id = bytes[length.end];
  if (id === undefined) return { kind: 'incomplete' };
  return id === STATUS_PACKET ? { ...length, value: length.end + length.value } : { kind: 'malformed' };
}

/**
 * Extracts the status text (JSON, not parsed here) from a complete frame. Returns null if the frame is not a status
 * answer.
 */
export function readStatusText(frame: Buffer): string | null {
  const length = readVarInt(frame, 0);
  if (length.kind !== 'ok') return null;
  const id = readVarInt(frame, length.end);
  if (id.kind !== 'ok' || id.value !== STATUS_PACKET) return null;
  const textBytes = readVarInt(frame, id.end);
  if (textBytes.kind !== 'ok') return null;
  const end = textBytes.end + textBytes.value;
  if (textBytes.value < 0 || end > frame.length) return null;
  return frame.toString('utf8', textBytes.end, end);
}
