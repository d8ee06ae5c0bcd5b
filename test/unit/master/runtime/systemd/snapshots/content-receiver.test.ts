import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContentReceiver } from '#master/runtime/systemd/snapshots/content-receiver.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const content = Buffer.alloc(2 ** 20, 'x');
const hash = createHash('sha256').update(content).digest('hex');
const files = [{ hash, size: content.length }];

describe('ContentReceiver (stores contents of files that a node sends)', () => {
  it('stores a content under its hash', async () => {
    const folder = temporaryFolder();
    const receiver = new ContentReceiver(files, folder);
    await receiver.add(content.subarray(0, 1_000));
    await receiver.add(content.subarray(1_000));
    expect(receiver.isComplete).toBe(true);
    expect(content.equals(await readFile(join(folder, hash)))).toBe(true);
  });

  it('can be cancelled while it writes to the disk', async () => {
    const receiver = new ContentReceiver(files, temporaryFolder());
    // The file is open then.
    await receiver.add(content.subarray(0, 1_000));
    const writing = receiver.add(content.subarray(1_000, 900_000));
    const cancelled = receiver.cancel();
    await expect(writing).rejects.toThrow();
    await expect(cancelled).resolves.toBeUndefined();
    expect(receiver.isComplete).toBe(false);
  });
});
