import { describe, expect, it } from 'vitest';
import { openLiveFile, readRange, type ReadPiece } from '#master/admin/file-views/live-file.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';

/**
 * Opens a file of a node, which is read piece by piece. `asked` contains the numbers of the pieces that were read.
 */
function fileOf(content: Buffer) {
  const asked: number[] = [];
  const read: ReadPiece = (piece) => {
    asked.push(piece);
    const from = piece * MAX_PIECE_BYTES;
    return Promise.resolve({
      content: content.subarray(from, from + MAX_PIECE_BYTES),
      ...{ bytes: content.length, changedAt: 7 },
    });
  };
  return { asked, read };
}

const content = Buffer.alloc(2 * MAX_PIECE_BYTES + 100, 'overworld');

describe('a file that is read in pieces', () => {
  it.each([
    { from: 0, length: 10, pieces: [0] },
    { from: MAX_PIECE_BYTES - 5, length: 5, pieces: [0] },
    { from: MAX_PIECE_BYTES - 5, length: 10, pieces: [0, 1] },
    { from: MAX_PIECE_BYTES, length: MAX_PIECE_BYTES, pieces: [1] },
    { from: 2 * MAX_PIECE_BYTES - 1, length: 1_000, pieces: [1, 2] },
    { from: 2 * MAX_PIECE_BYTES + 90, length: 1_000, pieces: [2] },
    { from: 3 * MAX_PIECE_BYTES, length: 10, pieces: [3] },
  ])(
    'needs the pieces $pieces for a read of $length bytes at offset $from',
    async ({ from, length, pieces }) => {
      const { asked, read } = fileOf(content);
      const range = await readRange(read, from, length);
      expect(range.equals(content.subarray(from, from + length))).toBe(true);
      expect(asked).toEqual(pieces);
    },
  );

  it('returns no bytes for a read at its end, even if its size is a multiple of the piece size', async () => {
    const { read } = fileOf(content.subarray(0, MAX_PIECE_BYTES));
    expect(await readRange(read, MAX_PIECE_BYTES, 10)).toHaveLength(0);
    expect(await readRange(read, MAX_PIECE_BYTES - 3, 10)).toHaveLength(3);
  });

  it('has the attributes of its first piece', async () => {
    const { attrs } = await openLiveFile(fileOf(content).read);
    expect(attrs).toMatchObject({ size: content.length, mtimeMs: 7, mode: 0o100_640 });
  });
});
