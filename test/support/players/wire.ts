import { encodeVarInt } from '#master/runtime/ping/status-frame.ts';

/** One packet as it goes over the wire: length, id, fields. */
export function packetFrame(packetId: number, ...fields: readonly Uint8Array[]): Buffer {
  const packet = Buffer.concat([encodeVarInt(packetId), ...fields]);
  return Buffer.concat([encodeVarInt(packet.length), packet]);
}

/** A text field: its length in bytes, then UTF-8. */
export function textField(text: string): Buffer {
  const encoded = Buffer.from(text, 'utf8');
  return Buffer.concat([encodeVarInt(encoded.length), encoded]);
}

/** The frame a server sends as its status answer; any text, and another packet id, for wrong ones. */
export function statusFrame(text: string, packetId = 0x00): Buffer {
  return packetFrame(packetId, textField(text));
}

/** The handshake of a client that goes on to log in (2) or asks for the status (1). */
export function handshakeFrame(protocol: number, nextState: number): Buffer {
  return packetFrame(
    0x00,
    encodeVarInt(protocol),
    textField('localhost'),
    Buffer.of(0x63, 0xdd),
    encodeVarInt(nextState),
  );
}

/** All that a Minecraft 1.8 client sends to be in the game. */
export function loginBytes(username: string): Buffer {
  return Buffer.concat([handshakeFrame(47, 2), packetFrame(0x00, textField(username))]);
}
