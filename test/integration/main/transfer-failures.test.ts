import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount } from '#test/support/files/small-disk.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';

const MB = 1_000_000;

describe('a transfer whose key is removed on the master', () => {
  it('stops at once without leaving a file, and continues after the key was added again', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await writeFile(join(fixture.remote, 'server.jar'), 'old');
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.master.keys.remove(fixture.person.name);
    await fixture.state('waiting');
    await expect(fixture.connect()).rejects.toMatchObject({ code: 'AUTH_REFUSED' });
    expect(await readFile(join(fixture.remote, 'server.jar'), 'utf8')).toBe('old');
    expect(fixture.relay.passed.up).toBeLessThan(100 * MB);
    const { name, publicKey } = fixture.person;
    await fixture.master.keys.add({ name, role: 'operator', publicKey });
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(fixture.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });

  it('fails permanently if the key was added again with an insufficient role', async () => {
    const fixture = await openTransferFixture();
    const { name, publicKey } = fixture.person;
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.master.keys.remove(name);
    await fixture.state('waiting');
    await fixture.master.keys.add({ name, role: 'viewer', publicKey });
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_FORBIDDEN' } }]);
  });
});

describe.skipIf(!canMount)('a transfer to a master with a full disk', () => {
  it('reports the full disk, leaves no unfinished files, and succeeds when there is space again', async () => {
    const fixture = await openTransferFixture({ diskMb: 32 });
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(20 * MB));
    await writeFile(join(fixture.remote, 'ballast'), randomBytes(20 * MB));
    await fixture.upload([file]);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'DISK_FULL' } });
    expect(await readdir(fixture.remote)).toEqual(['ballast']);
    await rm(join(fixture.remote, 'ballast'));
    await fixture.transfers.retry(failed?.id ?? '');
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(fixture.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });
});
