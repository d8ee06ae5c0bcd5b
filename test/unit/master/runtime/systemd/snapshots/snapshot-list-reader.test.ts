import { describe, expect, it } from 'vitest';
import { SnapshotListReader } from '#master/runtime/systemd/snapshots/snapshot-list-reader.ts';

const HASH = 'ab'.repeat(32);

const line = (content: unknown): Buffer => Buffer.from(`${JSON.stringify(content)}\n`);
const file = (path: string): unknown => [path, 5, 0o644, 1.5, HASH];

describe('SnapshotListReader (reads the list of files in a snapshot)', () => {
  it('reads the list from chunks of any size', () => {
    const sent = Buffer.concat([line(file('world/ä')), line(file('b')), line({ skipped: ['link'] })]);
    const reader = new SnapshotListReader();
    for (const byte of sent) {
      expect(reader.list).toBeNull();
      reader.add(Buffer.from([byte]));
    }
    const facts = { size: 5, mode: 0o644, modifiedAtMs: 1.5, hash: HASH };
    expect(reader.list).toEqual({
      files: [
        { path: 'world/ä', ...facts },
        { path: 'b', ...facts },
      ],
      skipped: ['link'],
    });
  });

  it('accepts a file whose last change was before 1970', () => {
    const reader = new SnapshotListReader();
    reader.add(Buffer.concat([line(['old', 5, 0o644, -315_619_200_000.5, HASH]), line({ skipped: [] })]));
    expect(reader.list?.files.map(({ modifiedAtMs }) => modifiedAtMs)).toEqual([-315_619_200_000.5]);
  });

  it.each(['', '.', '..', '/etc/passwd', 'a/../b', 'a//b', 'a\0', 'x'.repeat(4097)])(
    'rejects the path %j',
    (path) => {
      expect(() => new SnapshotListReader().add(line(file(path)))).toThrow('unexpected line');
    },
  );

  it('rejects a line that does not describe a file, and a line after the end of the list', () => {
    for (const bad of [
      ['a', -1, 0, 1, HASH],
      ['a', 1, 0o1000, 1, HASH],
      ['a', 1, 0, 1, 'x'],
      5,
      { skipped: 5 },
    ])
      expect(() => new SnapshotListReader().add(line(bad))).toThrow('unexpected line');
    const reader = new SnapshotListReader();
    reader.add(line({ skipped: [] }));
    expect(() => reader.add(line(file('a')))).toThrow('continues after its end');
  });

  it('rejects a list of more than 200,000 files without reading the remaining lines', () => {
    const reader = new SnapshotListReader();
    const some = Buffer.concat(Array.from({ length: 1_000 }, () => line(file('a'))));
    for (let at = 0; at < 200; at++) reader.add(some);
    expect(() => reader.add(line(file('a')))).toThrow('more than 200000');
  });

  it('rejects a line without an end, and a list that is too long', () => {
    expect(() => new SnapshotListReader().add(Buffer.alloc(4 * 1_048_576 + 1, 'x'))).toThrow('a line of');
    const reader = new SnapshotListReader();
    const long = line(file('\u0001'.repeat(4096)));
    expect(() => {
      for (let at = 0; at < 10_000; at++) reader.add(long);
    }).toThrow('is too long');
  });
});
