import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusAnswer, type StatusPing } from '#master/runtime/ping/status-answer.ts';
import { statusFrame } from '#test/support/players/wire.ts';

/**
 * Passes the bytes to a StatusAnswer, in chunks that are cut at these offsets.
 *
 * @returns the result, and the number of bytes after which it was complete; null if there is no result
 */
function collect(bytes: Buffer, cuts: readonly number[]): { result: StatusPing; afterBytes: number } | null {
  const answer = new StatusAnswer();
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...places, bytes.length]) {
    const result = answer.add(bytes.subarray(start, end));
    if (result !== null) return { result, afterBytes: end };
    start = end;
  }
  return null;
}

function frameOf(online: number, description: string): Buffer {
  return statusFrame(
    JSON.stringify({ version: { name: 'any', protocol: 47 }, players: { online, max: 9 }, description }),
  );
}

const cuts = fc.array(fc.nat(), { maxLength: 40 });

describe('StatusAnswer (reads the answer to a status ping)', () => {
  it('is complete when the last byte arrives, for every division of the bytes into chunks', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 400 }), cuts, (online, motdChars, places) => {
        const bytes = frameOf(online, 'x'.repeat(motdChars));
        expect(collect(bytes, places)).toMatchObject({
          result: { kind: 'answer', players: { online, max: 9 } },
          afterBytes: bytes.length,
        });
      }),
    );
  });

  it('reads an answer that arrives byte by byte', () => {
    const bytes = frameOf(3, 'x'.repeat(20_000));
    const everywhere = Array.from(bytes.keys());
    expect(collect(bytes, everywhere)).toMatchObject({
      result: { kind: 'answer' },
      afterBytes: bytes.length,
    });
  });

  it('ignores bytes after the end of the answer', () => {
    const bytes = Buffer.concat([frameOf(1, 'Hi'), Buffer.alloc(500, 0x41)]);
    expect(collect(bytes, [])).toMatchObject({ result: { kind: 'answer', motd: 'Hi' } });
  });

  it('returns no result for incomplete or random bytes, and throws no exception', () => {
    fc.assert(
      fc.property(fc.nat(), cuts, (length, places) => {
        const bytes = frameOf(1, 'a description of some length');
        expect(collect(bytes.subarray(0, 1 + (length % (bytes.length - 1))), places)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), cuts, (noise, places) => {
        const collected = collect(Buffer.from(noise), places);
        expect(collected === null || collected.result.kind === 'silent').toBe(true);
      }),
    );
  });
});
