import { attrFlag } from './protocol.ts';

/**
 * Changes of file attributes that a client has sent. An attribute that the client does not set is missing. Times in
 * seconds since 1970.
 */
export interface AttrsChange {
  readonly size?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  readonly permissions?: number;
  readonly times?: { readonly access: number; readonly modified: number };
}

/** Thrown if a packet violates the protocol, for example if it is incomplete. The session must then be closed. */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';
}

/** Reads the fields of one packet, one after the other. */
export class PacketReader {
  readonly #packet: Buffer;
  #at: number;

  constructor(packet: Buffer, at = 0) {
    this.#packet = packet;
    this.#at = at;
  }

  /** Returns a second reader at the current position, so that fields can be read without moving this reader. */
  ahead(): PacketReader {
    return new PacketReader(this.#packet, this.#at);
  }

  /** Reads an unsigned byte. @throws MalformedPacket if the packet is too short */
  u8(): number {
    return this.#packet.readUInt8(this.#advance(1));
  }

  /** Reads an unsigned 32-bit number. @throws MalformedPacket if the packet is too short */
  u32(): number {
    return this.#packet.readUInt32BE(this.#advance(4));
  }

  /** Reads an unsigned 64-bit offset or size. Values above 2^53 become Infinity, because no file is that large. */
  u64(): number {
    const value = this.#packet.readBigUInt64BE(this.#advance(8));
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(value);
  }

  /** Reads a string of bytes, without copying it. @throws MalformedPacket if the packet is too short */
  bytes(): Buffer {
    const length = this.u32();
    const at = this.#advance(length);
    return this.#packet.subarray(at, at + length);
  }

  /** Reads a path or name as a byte string (see virtual-path.ts). */
  byteString(): string {
    return this.bytes().toString('latin1');
  }

  /**
   * Reads file attributes. Returns those that are present, and skips extended ones.
   *
   * @throws MalformedPacket if the packet is too short
   */
  attrs(): AttrsChange {
    const flags = this.u32();
    const size = (flags & attrFlag.SIZE) === 0 ? {} : { size: this.u64() };
    const owner = (flags & attrFlag.UIDGID) === 0 ? {} : { owner: { uid: this.u32(), gid: this.u32() } };
    const permissions = (flags & attrFlag.PERMISSIONS) === 0 ? {} : { permissions: this.u32() };
    const times =
      (flags & attrFlag.ACMODTIME) === 0 ? {} : { times: { access: this.u32(), modified: this.u32() } };
    if ((flags & attrFlag.EXTENDED) !== 0) {
      for (let count = this.u32(); count > 0; count -= 1) {
        this.bytes();
        this.bytes();
      }
    }
    return { ...size, ...owner, ...permissions, ...times };
  }

  #advance(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#packet.length) throw new MalformedPacket('a packet is incomplete');
    this.#at += bytes;
    return at;
  }
}
