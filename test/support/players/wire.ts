import { encodeVarInt } from '#master/runtime/ping/status-frame.ts';

/** Encodes one packet: its length, ID and fields. */
export function packetFrame(packetId: number, ...fields: readonly Uint8Array[]): Buffer {
  const packet = Buffer.concat([encodeVarInt(packetId), ...fields]);
  return Buffer.concat([encodeVarInt(packet.length), packet]);
}

/** Encodes a text field: its length in bytes, then the text in UTF-8. */
export function textField(text: string): Buffer {
  const encoded = Buffer.from(text, 'utf8');
  return Buffer.concat([encodeVarInt(encoded.length), encoded]);
}

/** Encodes a server's status response. Text and packet ID may be invalid. */
export function statusFrame(text: string, packetId = 0x00): Buffer {
  return packetFrame(packetId, textField(text));
}

/** Encodes the handshake of a client that wants to log in (2) or requests the status (1). */
export function handshakeFrame(protocol: number, nextState: number): Buffer {
  return packetFrame(
    0x00,
    encodeVarInt(protocol),
    textField('localhost'),
    Buffer.of(0x63, 0xdd),
    encodeVarInt(nextState),
  );
}

/** Returns all bytes that a Minecraft 1.8 client sends to join the game. */
export function loginBytes(username: string): Buffer {
  return Buffer.concat([handshakeFrame(47, 2), packetFrame(0x00, textField(username))]);
}

/** Returns all bytes that a Minecraft 26.1 client sends until the server begins to configure it. */
export function loginBytesOf26_1(username: string): Buffer {
  const id = Buffer.alloc(16);
  const acknowledged = packetFrame(0x03);
  return Buffer.concat([handshakeFrame(775, 2), packetFrame(0x00, textField(username), id), acknowledged]);
}

/** Splits received bytes into complete packets without their lengths, and the remaining bytes. */
export function takePackets(from: Buffer): { readonly packets: readonly Buffer[]; readonly rest: Buffer } {
  const packets: Buffer[] = [];
  let rest = from;
  for (;;) {
    const length = readVarInt(rest);
    if (length === null || rest.length < length.next + length.value) return { packets, rest };
    packets.push(rest.subarray(length.next, length.next + length.value));
    rest = rest.subarray(length.next + length.value);
  }
}

function readVarInt(from: Buffer): { readonly value: number; readonly next: number } | null {
  let value = 0;
  for (let i = 0; i < 5; i += 1) {
    const byte = from[i];
    if (byte === undefined) return null;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value, next: i + 1 };
  }
  throw new Error('a VarInt is longer than 5 bytes');
}
