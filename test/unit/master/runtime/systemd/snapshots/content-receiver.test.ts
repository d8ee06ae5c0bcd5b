import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContentReceiver } from '#master/runtime/systemd/snapshots/content-receiver.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
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

  it('can be cancelled before a content is complete', async () => {
    const receiver = new ContentReceiver(files, temporaryFolder());
    await receiver.add(content.subarray(0, 1_000));
    await receiver.cancel();
    expect(receiver.isComplete).toBe(false);
  });

  it.skipIf(!canMount)('fails on a full disk, without an error that ends the process', async () => {
    const disk = smallDisk(1);
    await fillDisk(disk);
    const receiver = new ContentReceiver(files, disk);
    // A stream reports an error of the first piece only after `add` has ended.
    await expect(receiver.add(content.subarray(0, 1_000))).rejects.toMatchObject({ code: 'ENOSPC' });
    await receiver.cancel();
    expect(receiver.isComplete).toBe(false);
  });
});
