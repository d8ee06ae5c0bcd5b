import { encodeVarInt } from '#master/runtime/status-frame.ts';

/** The frame a server sends as its status answer; any text, and another packet id, for wrong ones. */
export function statusFrame(text: string, packetId = 0x00): Buffer {
  const encoded = Buffer.from(text, 'utf8');
  const packet = Buffer.concat([encodeVarInt(packetId), encodeVarInt(encoded.length), encoded]);
  return Buffer.concat([encodeVarInt(packet.length), packet]);
}
