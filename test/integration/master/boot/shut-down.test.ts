import { describe, expect, it, onTestFinished } from 'vitest';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, servicesOf, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

async function aMaster(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 49 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

describe('the shutdown of a master', () => {
  it('stops all services, even services that are starting or requested at the same time', async () => {
    const master = await aMaster(26_400);
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 3 } });
    await putJar(master, 'lobby');
    await waitFor(async () =>
      (await servicesOf(master)).some(
        (service) => service.state === 'PREPARING' || service.state === 'STARTING',
      ),
    );
    const asked = master.call('master.shutdown', { services: 'stop' });
    const late = Promise.allSettled(
      Array.from({ length: 3 }, () => master.call('services.start', { template: 'lobby' })),
    );
    await asked;
    await late;
    await waitFor(() => Promise.resolve(!master.alive), { what: 'the end of the master' });
    expect(await jvmsOf(master.data)).toEqual(new Map());
  });

  it('completes at once if the master is told to keep the services that it is stopping', async () => {
    const master = await aMaster(26_450);
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 2 } });
    await putJar(master, 'lobby');
    await waitFor(async () => (await servicesOf(master)).filter((s) => s.state === 'RUNNING').length === 2);
    await Promise.all(
      (await servicesOf(master)).map(({ id }) => master.call('services.command', { id, line: 'hang' })),
    );
    await master.call('master.shutdown', { services: 'stop' });
    const asked = performance.now();
    await master.terminate();
    // A server gets 30 s to save, but the master does not wait for it. The next master continues the stop.
    expect(performance.now() - asked).toBeLessThan(10_000);
    await master.start();
    for (const id of ['lobby-1', 'lobby-2']) {
      const service = (await servicesOf(master)).find((one) => one.id === id);
      expect(service?.stopping?.cause).toMatch(/^the master shuts down, requested by local/);
      await master.call('services.stop', { id, kill: true });
    }
  });
});
