import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog, type NewEvent } from '#master/store/event-log.ts';
import { acquireLease } from '#master/store/lease.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Size of a block of a file system in memory. */
const BLOCK_BYTES = 4_096;

async function openStore(data: string): Promise<ConfigStore> {
  const store = await ConfigStore.open(data, () => undefined);
  onTestFinished(() => store.close());
  return store;
}

const anEvent = (message: string): NewEvent => ({
  kind: 'service.running',
  subject: { type: 'service', id: 'lobby-1' },
  template: 'lobby',
  actor: 'overworld',
  message,
  cause: 'it answered',
});

describe.skipIf(process.platform === 'win32')('a configuration file that is not a regular file', () => {
  it.each([
    ['a pipe', (path: string) => Promise.resolve(void execFileSync('mkfifo', [path]))],
    ['an endless device', (path: string) => symlink('/dev/zero', path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('is reported as faulty without being read: %s', async (_what, make) => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { maxPlayers: 20 });
    const path = join(data, 'config', 'templates', 'lobby.json');
    await rm(path);
    await make(path);
    await store.refresh();
    expect(store.template('lobby').problems).toHaveLength(1);
    expect(store.template('lobby').config.maxPlayers).toBe(20);
    await store.createTemplate('arena', {});
  });
});

describe('the copy of the last valid configuration', () => {
  it('is written later if it cannot be written with the change, and the change still succeeds', async () => {
    const data = temporaryFolder();
    const lastGood = join(data, 'state', 'last-good');
    await mkdir(join(data, 'state'), { recursive: true });
    await writeFile(lastGood, 'in the way');
    const store = await openStore(data);
    const state = await store.createTemplate('lobby', { maxPlayers: 20 });
    expect(state.config.maxPlayers).toBe(20);
    await rm(lastGood);
    await store.refresh();
    const copy: unknown = JSON.parse(await readFile(join(lastGood, 'templates', 'lobby.json'), 'utf8'));
    expect(copy).toMatchObject({ maxPlayers: 20 });
  });
});

describe.skipIf(!canMount)('on a full disk', () => {
  it('the activity log loses no events, and writes each of them once as soon as there is space again', async () => {
    const disk = smallDisk(2);
    const path = join(disk, 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    // The file's last disk block still has room. So a write that crosses the end of this block is cut without an
    // error.
    log.add(anEvent('the first'));
    await log.flushed();
    const free = await fillDisk(disk);
    const messages = Array.from({ length: 200 }, (_, i) => `event ${i} ${'x'.repeat(200)}`);
    for (const [i, message] of messages.entries()) {
      // The log fills this space with a part of the events that wait, and the disk is full again.
      if (i === 100) await free(3 * BLOCK_BYTES);
      log.add(anEvent(message));
      await log.flushed().catch(() => undefined);
    }
    await free();
    log.add(anEvent('the last'));
    await log.flushed();
    await log.close();
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    expect(lines).toHaveLength(202);
    const next = await EventLog.open(path, () => 1);
    const told = next.query({ limit: 500 }).map((event) => event.message);
    expect(told.reverse()).toEqual(['the first', ...messages, 'the last']);
    await next.close();
  });

  it('the activity log opens even if the last block of its file is full', async () => {
    const disk = smallDisk(1);
    const path = join(disk, 'activity.jsonl');
    await writeFile(path, Buffer.alloc(BLOCK_BYTES, '\n'));
    const free = await fillDisk(disk);
    const log = await EventLog.open(path, () => 1);
    log.add(anEvent('the first'));
    await expect(log.flushed()).rejects.toThrow('ENOSPC');
    await free();
    await log.close();
    const next = await EventLog.open(path, () => 1);
    expect(next.query({ limit: 5 }).map(({ message }) => message)).toEqual(['the first']);
    await next.close();
  });

  it('the lease of a data folder is not acquired, and leaves no file behind', async () => {
    const disk = smallDisk(1);
    const path = join(disk, 'run', 'lease.json');
    await mkdir(join(disk, 'run'));
    await fillDisk(disk);
    await expect(acquireLease(disk)).rejects.toMatchObject({ code: 'DISK_FULL', details: { path } });
    expect(await readdir(join(disk, 'run'))).toEqual([]);
  });

  it('a change of the configuration is rejected with the error DISK_FULL and changes nothing', async () => {
    const disk = smallDisk(2);
    const store = await openStore(disk);
    const { revision } = await store.createTemplate('lobby', { maxPlayers: 20 });
    await fillDisk(disk);
    await expect(store.writeTemplate('lobby', { maxPlayers: 30 }, revision)).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    await store.refresh();
    expect(store.template('lobby')).toMatchObject({ revision, config: { maxPlayers: 20 } });
  });
});
