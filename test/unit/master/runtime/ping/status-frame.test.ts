import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeStatusRequest,
  encodeVarInt,
  MAX_FRAME_BYTES,
  readAnswerSize,
  readStatusText,
  readVarInt,
} from '#master/runtime/ping/status-frame.ts';
import { statusFrame } from '#test/support/players/wire.ts';

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

describe('VarInt (integer in the Minecraft protocol)', () => {
  // Values of the protocol's own table (minecraft.wiki, "VarInt and VarLong").
  it.each([
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '8001'],
    [255, 'ff01'],
    [25565, 'ddc701'],
    [2097151, 'ffff7f'],
    [2147483647, 'ffffffff07'],
    [-1, 'ffffffff0f'],
    [-2147483648, '8080808008'],
  ])('encodes %i as %s', (value, hex) => {
    expect(encodeVarInt(value).toString('hex')).toBe(hex);
    expect(readVarInt(Buffer.from(hex, 'hex'), 0)).toEqual({ kind: 'ok', value, end: hex.length / 2 });
  });

  it('decodes each encoded number at any position', () => {
    fc.assert(
      fc.property(
        int32,
        fc.uint8Array({ maxLength: 8 }),
        fc.uint8Array({ maxLength: 8 }),
        (value, before, after) => {
          const encoded = encodeVarInt(value);
          const bytes = Buffer.concat([before, encoded, after]);
          expect(readVarInt(bytes, before.length)).toEqual({
            kind: 'ok',
            value,
            end: before.length + encoded.length,
          });
        },
      ),
    );
  });

  it('is incomplete while one of its bytes is missing', () => {
    fc.assert(
      fc.property(int32, (value) => {
        const encoded = encodeVarInt(value);
        for (let cut = 0; cut < encoded.length; cut++) {
          expect(readVarInt(encoded.subarray(0, cut), 0)).toEqual({ kind: 'incomplete' });
        }
      }),
    );
  });

  it('is malformed if it has a sixth byte', () => {
    expect(readVarInt(Buffer.from('8080808080', 'hex'), 0)).toEqual({ kind: 'malformed' });
  });
});

describe('encodeStatusRequest (request of a status ping)', () => {
  it('returns a handshake with the next state "status", and an empty request', () => {
    expect(encodeStatusRequest('127.0.0.1', 25565).toString('hex')).toBe(
      // Length 19: id 0, protocol -1, "127.0.0.1", port 0x63dd, next state 1. Then length 1: id 0.
      '1300ffffffff0f093132372e302e302e3163dd010100',
    );
  });
});

describe('readAnswerSize (size of the answer to a status ping)', () => {
  it('accepts up to 256 KiB, and rejects larger, empty and negative sizes', () => {
    expect(readAnswerSize(Buffer.concat([encodeVarInt(MAX_FRAME_BYTES), Buffer.of(0)]))).toEqual({
      kind: 'ok',
      value: MAX_FRAME_BYTES + 3,
      end: 3,
    });
    for (const length of [MAX_FRAME_BYTES + 1, 2 ** 31 - 1, 0, -1]) {
      expect(readAnswerSize(encodeVarInt(length))).toEqual({ kind: 'malformed' });
    }
  });

  it('waits for the packet id, and rejects a wrong packet id at once', () => {
    expect(readAnswerSize(Buffer.of(10))).toEqual({ kind: 'incomplete' });
    expect(readAnswerSize(Buffer.of(10, 0x01))).toEqual({ kind: 'malformed' });
    expect(readAnswerSize(Buffer.from('SSH-2.0'))).toEqual({ kind: 'malformed' });
  });
});

describe('readStatusText (text in the answer to a status ping)', () => {
  it('returns the text of an answer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const frame = statusFrame(text);
        expect(readAnswerSize(frame)).toMatchObject({ kind: 'ok', value: frame.length });
        expect(readStatusText(frame)).toBe(text);
      }),
    );
  });

  it('returns null for a truncated or a different packet, and throws no exception', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.nat(), (text, place) => {
        const frame = statusFrame(text);
        expect(readStatusText(frame.subarray(0, place % frame.length))).toBeNull();
      }),
    );
    expect(readStatusText(statusFrame('{}', 0x01))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = readStatusText(Buffer.from(bytes));
        expect(text === null || text.length <= bytes.length).toBe(true);
      }),
    );
  });
});
