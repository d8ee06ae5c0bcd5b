import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketSplitter } from '#master/files/sftp/protocol/packet-splitter.ts';
import { MAX_PACKET_BYTES } from '#master/files/sftp/protocol/protocol.ts';

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function splitAt(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, i) => stream.subarray(edges[i], edge));
}

describe('PacketSplitter (splits a stream into SFTP packets)', () => {
  it('finds the same packets for every division of the stream into chunks', () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 12 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(2000)), (packets, cuts) => {
        const found: Buffer[] = [];
        const splitter = new PacketSplitter((packet) => found.push(packet));
        for (const chunk of splitAt(Buffer.concat(packets.map(framed)), cuts)) splitter.push(chunk);
        expect(found.map((packet) => packet.toString('hex'))).toEqual(
          packets.map((packet) => Buffer.from(packet).toString('hex')),
        );
      }),
    );
  });

  it.each([0, MAX_PACKET_BYTES + 1, 0xffff_ffff])(
    'rejects a packet of %i bytes as soon as its length is known',
    (bytes) => {
      const splitter = new PacketSplitter(() => undefined);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes);
      expect(() => splitter.push(length)).toThrow(`${bytes} bytes`);
    },
  );
});
