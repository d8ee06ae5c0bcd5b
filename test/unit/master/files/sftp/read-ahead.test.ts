import { closeSync, mkdtempSync, openSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DATA_OFFSET } from '#master/files/sftp/packets.ts';
import { ReadAhead } from '#master/files/sftp/read-ahead.ts';
import { waitFor } from '#test/support/wait-for.ts';

let folder: string;
let path: string;
let file: number;
let reads: number;
const ahead = new ReadAhead();

/** Counts the reads that were started. */
const run = (read: () => Promise<number>): Promise<number> => {
  reads += 1;
  return read();
};

/** Creates a file whose last change is old enough for a further change to be detected. */
async function make(content: string | Buffer): Promise<void> {
  writeFileSync(path, content);
  await waitFor(() => Date.now() - statSync(path).ctimeMs > 60, { what: 'the change to be some time ago' });
  file = openSync(path, 'r');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overworld-ahead-'));
  path = join(folder, 'file');
  reads = 0;
});
afterEach(() => {
  ahead.forget(file);
  closeSync(file);
  rmSync(folder, { recursive: true });
});

it('returns the bytes of a small file once', async () => {
  await make('hello');
  ahead.begin(file, run);
  expect((await ahead.take(file))?.subarray(DATA_OFFSET).toString()).toBe('hello');
  expect(await ahead.take(file)).toBeNull();
});

it('returns nothing if the file has changed to content of the same size', async () => {
  await make('hello');
  ahead.begin(file, run);
  writeFileSync(path, 'HELLO');
  expect(await ahead.take(file)).toBeNull();
});

it('returns nothing if the file has changed and its modification time was reset', async () => {
  await make('hello');
  const { atime, mtime } = statSync(path);
  ahead.begin(file, run);
  writeFileSync(path, 'HELLO');
  utimesSync(path, atime, mtime);
  expect(await ahead.take(file)).toBeNull();
});

it('does not read a file that is empty, large or was changed a moment ago', async () => {
  await make('');
  ahead.begin(file, run);
  writeFileSync(path, 'just now');
  ahead.begin(file, run);
  closeSync(file);
  await make(Buffer.alloc(32_769));
  ahead.begin(file, run);
  expect(reads).toBe(0);
});

it('reads at most eight files ahead', async () => {
  await make('hello');
  const others = Array.from({ length: 12 }, () => openSync(path, 'r'));
  for (const other of others) ahead.begin(other, run);
  expect(reads).toBe(8);
  for (const other of others) {
    await ahead.take(other);
    closeSync(other);
  }
});
