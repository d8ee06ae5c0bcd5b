import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { waitFor } from '#test/support/wait-for.ts';

describe.skipIf(!canMount)('a master on a full disk', () => {
  it('rejects changes that it cannot store, but still stops services', async () => {
    const data = smallDisk(16);
    const master = new MasterProcess(data, { from: 26_300, to: 26_349 });
    onTestFinished(() => master.shutDown());
    await master.start();
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'lobby');
    const { id } = await serviceIn(master, 'RUNNING');

    const free = await fillDisk(data);
    await expect(master.call('services.start', { template: 'lobby' })).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    await expect(setConfig(master, 'lobby', { minimumRunningServers: 0 })).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
    const [template] = await master.call('templates.list', {});
    expect(template?.config.minimumRunningServers).toBe(1);

    // A person must be able to stop a service, because this service may have filled the disk.
    await expect(master.call('services.stop', { id, kill: false })).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    await waitFor(async () => (await servicesOf(master)).every((service) => service.id !== id));
    const trouble = await waitFor(async () =>
      (await master.call('activity.list', { limit: 10, kinds: ['master.trouble'] })).at(0),
    );
    expect(trouble.cause).toContain('disk is full');

    await free();
    const next = await serviceIn(master, 'RUNNING');
    expect(next.id).not.toBe(id);
    await setConfig(master, 'lobby', { minimumRunningServers: 0 });
  });

  it('can stop all services and shut down', async () => {
    const data = smallDisk(16);
    const master = new MasterProcess(data, { from: 26_350, to: 26_399 });
    onTestFinished(() => master.kill());
    await master.start();
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'lobby');
    await serviceIn(master, 'RUNNING');
    await fillDisk(data);
    await master.shutDown();
    expect(master.log).not.toContain('did not shut down cleanly');
  });

  it.each([
    { freeBytes: 4_096, missing: 'run/lease.json' },
    { freeBytes: 8_192, missing: 'config/host_key' },
    { freeBytes: 16_384, missing: 'config/cluster.json' },
  ])(
    'says at its first start which file does not fit and what to do: $missing',
    async ({ freeBytes, missing }) => {
      const data = smallDisk(1);
      const hole = join(data, 'hole');
      await writeFile(hole, Buffer.alloc(freeBytes));
      const free = await fillDisk(data);
      await rm(hole);
      const master = new MasterProcess(data, { from: 26_400, to: 26_449 });
      onTestFinished(() => master.kill());
      await expect(master.start()).rejects.toThrow('the master ended');
      const path = join(data, missing);
      expect(master.log).toBe(`The disk is full; ${path} was not written. Free some space and try again.\n`);
      await free();
      await master.start();
    },
  );
});
