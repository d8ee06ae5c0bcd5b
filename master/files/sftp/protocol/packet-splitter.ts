import { MalformedPacket } from './packet-reader.ts';
import { MAX_PACKET_BYTES } from './protocol.ts';

/**
 * Splits the stream of a channel into packets. The length of each packet precedes the packet. Refuses a packet that
 * is too large as soon as its length has arrived.
 */
export class PacketSplitter {
  readonly #onPacket: (packet: Buffer) => void;
  readonly #lengthBytes = Buffer.alloc(4);
  #lengthHave = 0;
  #packet: Buffer | undefined;
  #have = 0;

  /**
   * Creates the splitter of one channel.
   *
   * @param onPacket receives each packet without its length field, and may keep the buffer
   */
  constructor(onPacket: (packet: Buffer) => void) {
    this.#onPacket = onPacket;
  }

  /**
   * Adds received bytes, and passes on each packet that is now complete.
   *
   * @throws MalformedPacket if a packet is empty or too large
   */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#packet === undefined) {
        const taken = chunk.copy(this.#lengthBytes, this.#lengthHave, at, at + 4 - this.#lengthHave);
        this.#lengthHave += taken;
        at += taken;
        if (this.#lengthHave < 4) return;
        this.#lengthHave = 0;
        const length = this.#lengthBytes.readUInt32BE(0);
        if (length === 0 || length > MAX_PACKET_BYTES)
          throw new MalformedPacket(`a packet of ${length} bytes`);
        if (length <= chunk.length - at) {
          // Fast path: the whole packet is in this chunk, so nothing is copied.
          this.#onPacket(chunk.subarray(at, at + length));
          at += length;
          continue;
        }
        this.#packet = Buffer.allocUnsafe(length);
        this.#have = 0;
      }
      const taken = chunk.copy(this.#packet, this.#have, at);
      this.#have += taken;
      at += taken;
      if (this.#have < this.#packet.length) return;
      const packet = this.#packet;
      this.#packet = undefined;
      this.#onPacket(packet);
    }
  }
}
