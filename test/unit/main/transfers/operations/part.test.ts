import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPartName, isPlainName } from '#main/transfers/remote/names.ts';
import { isSameBefore, PartLedger, partNameOf, resumePoint } from '#main/transfers/operations/part.ts';
import type { Source } from '#main/transfers/remote/copy-bytes.ts';
import { WriteMark } from '#main/transfers/operations/write-mark.ts';

const source = { origin: 'here', path: '/home/a.jar', bytes: 100, modifiedAt: 1_700_000_000_123 };

function sourceOf(content: Buffer): Source {
  return {
    readAt: (buffer, position) =>
      Promise.resolve(content.copy(buffer, 0, position, position + buffer.length)),
  };
}

describe('partNameOf (name of the unfinished file of a transfer)', () => {
  it('returns the same name for the same source, and another name for another source', () => {
    const name = partNameOf(source, 'a.jar');
    expect(partNameOf({ ...source, modifiedAt: source.modifiedAt + 0.4 }, 'a.jar')).toBe(name);
    const others = [
      partNameOf({ ...source, origin: 'there' }, 'a.jar'),
      partNameOf({ ...source, path: '/home/b.jar' }, 'a.jar'),
      partNameOf({ ...source, bytes: 101 }, 'a.jar'),
      partNameOf({ ...source, modifiedAt: source.modifiedAt + 1 }, 'a.jar'),
      partNameOf(source, 'a (2).jar'),
    ];
    expect(new Set([name, ...others]).size).toBe(6);
    expect(isPartName(name) && isPlainName(name)).toBe(true);
  });
});

describe('resumePoint (position at which an interrupted transfer continues)', () => {
  const MB = 1_048_576;
  it.each([
    [
      'the stored mark of written bytes, if there is one',
      { bytes: 50 * MB, mark: 40 * MB },
      200 * MB,
      40 * MB,
    ],
    ['at most the size of the partial file', { bytes: 10, mark: 20 }, 100, 10],
    [
      'a position well before the end if there is no mark',
      { bytes: 100 * MB, mark: undefined },
      200 * MB,
      84 * MB,
    ],
    ['the start if a short partial file has no mark', { bytes: 5 * MB, mark: undefined }, 200 * MB, 0],
    ['the start if the partial file is larger than the source', { bytes: 300, mark: 100 }, 200, 0],
    [
      'the end if the partial file is complete and only has to be renamed',
      { bytes: 200, mark: 200 },
      200,
      200,
    ],
  ])('returns %s', (...[, part, size, want]) => {
    expect(resumePoint(part, size)).toBe(want);
  });

  it('is used only if the unfinished file and the source are the same up to this position', async () => {
    const [one, other] = [randomBytes(200_000), randomBytes(200_000)];
    expect(await isSameBefore(150_000, sourceOf(one), sourceOf(one))).toBe(true);
    expect(await isSameBefore(150_000, sourceOf(one), sourceOf(other))).toBe(false);
    // The source is shorter than the position.
    expect(await isSameBefore(150_000, sourceOf(one), sourceOf(one.subarray(0, 140_000)))).toBe(false);
    const changed = Buffer.from(one);
    changed[149_999] = (changed[149_999] ?? 0) ^ 1;
    expect(await isSameBefore(150_000, sourceOf(one), sourceOf(changed))).toBe(false);
  });
});

describe('WriteMark (length of the part of a file that was written without gaps)', () => {
  it('ends at the first gap, or at the end of the file after all writes have finished', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(pieces, fc.nat(100), fc.infiniteStream(fc.nat()), (sizes, start, order) => {
        let next = start;
        const all = sizes.map((bytes) => {
          const piece = { position: next, bytes };
          next += bytes;
          return piece;
        });
        const keys = new Map(all.map((piece) => [piece, order.next().value as number]));
        const shuffled = [...all].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
        const mark = new WriteMark(start);
        const written = new Set<number>();
        let reached = start;
        for (const { position, bytes } of shuffled) {
          reached = mark.add(position, bytes);
          written.add(position);
          const hole = all.find((piece) => !written.has(piece.position));
          expect(reached).toBe(hole?.position ?? next);
        }
        expect(reached).toBe(next);
      }),
    );
  });
});

describe('PartLedger (list of unfinished files of transfers)', () => {
  it('reserves an unfinished file for one transfer at a time', async () => {
    const inUse = new Set<string>();
    const [one, other] = [new PartLedger(inUse), new PartLedger(inUse)];
    await one.claim('p', '/files/a');
    await expect(other.claim('p', '/files/a')).rejects.toThrow(/another transfer/);
    one.release('p');
    await other.claim('p', '/files/a');
  });

  it('stores the written length of each unfinished file until the file is removed from the list', () => {
    const ledger = new PartLedger(new Set(), { a: 5 });
    ledger.set('b', 7);
    expect(ledger.marks()).toEqual({ a: 5, b: 7 });
    ledger.forget('a');
    expect([ledger.mark('a'), ledger.mark('b')]).toEqual([undefined, 7]);
  });
});
