import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SftpResponseReader, putPacket, type SftpResponse } from '#main/transfers/remote/put-packets.ts';

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function packet(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function status(id: number, code: number, message: string): Buffer {
  const numbers = Buffer.alloc(9);
  numbers.writeUInt8(101, 0);
  numbers.writeUInt32BE(id, 1);
  numbers.writeUInt32BE(code, 5);
  return packet(Buffer.concat([numbers, text(message), text('')]));
}

function version(extensions: Record<string, string>): Buffer {
  const pairs = Object.entries(extensions).flatMap(([name, value]) => [text(name), text(value)]);
  return packet(Buffer.concat([Buffer.from([2, 0, 0, 0, 3]), ...pairs]));
}

describe('SftpResponseReader (reads responses of an SFTP server)', () => {
  it('returns the same responses for every division of the bytes into chunks', () => {
    const answers = fc.array(
      fc.record({ id: fc.nat(0xffff_ffff), code: fc.nat(8), message: fc.string({ maxLength: 30 }) }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 1, max: 60 })), (wanted, cuts) => {
        const bytes = Buffer.concat(wanted.map(({ id, code, message }) => status(id, code, message)));
        const reader = new SftpResponseReader();
        const read: SftpResponse[] = [];
        let at = 0;
        for (const cut of cuts) {
          read.push(...reader.read(bytes.subarray(at, at + cut)));
          at += cut;
        }
        read.push(...reader.read(bytes.subarray(at)));
        expect(read).toEqual(wanted.map((one) => ({ kind: 'status', ...one })));
      }),
    );
  });

  it('returns the SFTP extensions that the master supports', () => {
    const [answer] = new SftpResponseReader().read(
      version({ 'put-file@overworld': '1', 'fsync@openssh.com': '1' }),
    );
    expect(answer).toEqual({
      kind: 'version',
      extensions: new Map([
        ['put-file@overworld', '1'],
        ['fsync@openssh.com', '1'],
      ]),
    });
  });

  it.each([
    ['of a gigabyte', Buffer.from([0x40, 0, 0, 0])],
    ['of no bytes', Buffer.from([0, 0, 0, 0])],
    ['of another type', packet(Buffer.from([103, 0, 0, 0, 1]))],
    ['that is truncated', packet(Buffer.from([101, 0, 0]))],
    ['with a text longer than the packet', packet(Buffer.from([2, 0, 0, 0, 3, 0, 0, 1, 0, 65]))],
  ])('rejects a response %s', (_, bytes) => {
    expect(() => new SftpResponseReader().read(bytes)).toThrow(RangeError);
  });
});

it('putPacket writes the length of the packet first, and the data last', () => {
  const request = { part: '/ä', target: '/b', mode: 0o600, modifiedAt: 5, replace: true };
  const bytes = putPacket(7, { ...request, data: Buffer.from('xyz') });
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  expect(bytes.subarray(-7).toString('latin1')).toBe('\0\0\0\x03xyz');
});
