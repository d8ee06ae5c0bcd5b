import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** A disk of its own that can be filled; needs root, as mounting does. */
function smallDisk(): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
  });
  return folder;
}

/** Takes every byte that is left. @returns a function that frees them */
async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'ballast');
  for (let size = 16 * 1_048_576; size >= 1; size = Math.floor(size / 2)) {
    await writeFile(path, Buffer.alloc(size), { flag: 'a' }).catch(() => undefined);
  }
  return () => rm(path);
}

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a master on a full disk', () => {
  it('acknowledges nothing that it could not store, still stops services, and goes on once there is room', async () => {
    const data = smallDisk();
    const master = new MasterProcess(data, { from: 26_300, to: 26_349 });
    onTestFinished(() => master.shutDown());
    await master.start();
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'lobby');
    const { id } = await serviceIn(master, 'RUNNING');

    const free = await fill(data);
    await expect(master.call('services.start', { template: 'lobby' })).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    await expect(setConfig(master, 'lobby', { minimumRunningServers: 0 })).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
    const [template] = await master.call('templates.list', {});
    expect(template?.config.minimumRunningServers).toBe(1);

    // Whoever filled the disk must be stoppable.
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

  it('ends when it is asked to stop all services, though nothing can be stored', async () => {
    const data = smallDisk();
    const master = new MasterProcess(data, { from: 26_350, to: 26_399 });
    onTestFinished(() => master.kill());
    await master.start();
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'lobby');
    await serviceIn(master, 'RUNNING');
    await fill(data);
    await master.shutDown();
    expect(master.log).not.toContain('did not end cleanly');
  });
});
