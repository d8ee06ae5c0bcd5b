import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount } from '#test/support/files/small-disk.ts';
import { openTransferStage } from '#test/support/files/transfer-fixture.ts';

const MB = 1_000_000;

describe('a key that is taken back during a transfer', () => {
  it('stops it at once with nothing in place; given again, the transfer goes on', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await writeFile(join(stage.remote, 'server.jar'), 'old');
    await stage.upload([file]);
    await stage.moved(20 * MB);
    await stage.master.keys.remove(stage.person.name);
    await stage.state('waiting');
    await expect(stage.connect()).rejects.toMatchObject({ code: 'AUTH_REFUSED' });
    expect(await readFile(join(stage.remote, 'server.jar'), 'utf8')).toBe('old');
    expect(stage.relay.passed.up).toBeLessThan(100 * MB);
    const { name, publicKey } = stage.person;
    await stage.master.keys.add({ name, role: 'operator', publicKey });
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(stage.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });

  it('fails what its new role may not do, instead of trying for ever', async () => {
    const stage = await openTransferStage();
    const { name, publicKey } = stage.person;
    const file = join(stage.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await stage.upload([file]);
    await stage.moved(20 * MB);
    await stage.master.keys.remove(name);
    await stage.state('waiting');
    await stage.master.keys.add({ name, role: 'viewer', publicKey });
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_FORBIDDEN' } }]);
  });
});

describe.skipIf(!canMount)('a master whose disk is full', () => {
  it('is said so; nothing half-written stays to fill it, and a retry succeeds when there is room', async () => {
    const stage = await openTransferStage({ diskMb: 32 });
    const file = join(stage.local, 'server.jar');
    await writeFile(file, randomBytes(20 * MB));
    await writeFile(join(stage.remote, 'ballast'), randomBytes(20 * MB));
    await stage.upload([file]);
    const [failed] = await stage.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'DISK_FULL' } });
    expect(await readdir(stage.remote)).toEqual(['ballast']);
    await rm(join(stage.remote, 'ballast'));
    await stage.transfers.retry(failed?.id ?? '');
    expect(await stage.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(stage.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });
});
