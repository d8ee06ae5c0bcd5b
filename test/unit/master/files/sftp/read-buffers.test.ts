import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DATA_BYTES } from '#master/files/sftp/protocol/protocol.ts';
import { ReadBuffers } from '#master/files/sftp/read-buffers.ts';

const LARGE = MAX_DATA_BYTES + 13;

describe('ReadBuffers (reuses buffers for SFTP reads)', () => {
  it('lends a returned buffer again, even if only a part of it was sent', () => {
    const buffers = new ReadBuffers();
    const first = buffers.lend(LARGE);
    buffers.giveBack(first.subarray(0, 5));
    expect(buffers.lend(LARGE) === first).toBe(true);
  });

  it('lends a buffer of the standard size even for a smaller request', () => {
    const buffers = new ReadBuffers();
    const first = buffers.lend(20);
    expect(first.length).toBe(32_768 + 13);
    buffers.giveBack(first);
    expect(buffers.lend(32_768) === first).toBe(true);
  });

  it('is full once all lent buffers together are as large as a channel window', () => {
    const buffers = new ReadBuffers();
    const lent: Buffer[] = [];
    while (!buffers.full) lent.push(buffers.lend(LARGE));
    expect(lent.length).toBe(9);
    const [first] = lent;
    if (first !== undefined) buffers.giveBack(first);
    expect(buffers.full).toBe(false);
  });

  it('ignores returned buffers that are not on loan', () => {
    const buffers = new ReadBuffers();
    const first = buffers.lend(LARGE);
    expect(buffers.giveBack(Buffer.alloc(LARGE))).toBe(false);
    expect(buffers.giveBack(first)).toBe(true);
    expect(buffers.giveBack(first)).toBe(false);
    expect(buffers.lend(LARGE) === first).toBe(true);
    expect(buffers.lend(LARGE) === first).toBe(false);
  });

  it('never lends the same buffer to two users at a time', () => {
    const step = fc.oneof(
      fc.record({ lend: fc.integer({ min: 13, max: LARGE }) }),
      fc.record({ giveBack: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const buffers = new ReadBuffers();
        const lent: Buffer[] = [];
        for (const one of steps) {
          if ('lend' in one) {
            const buffer = buffers.lend(one.lend);
            expect(buffer.length).toBeGreaterThanOrEqual(one.lend);
            expect(lent.some((other) => other.buffer === buffer.buffer)).toBe(false);
            lent.push(buffer);
          } else {
            const [back] = lent.splice(one.giveBack % (lent.length + 1), 1);
            if (back !== undefined) buffers.giveBack(back);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
