import { expect, it, onTestFinished } from 'vitest';
import { isUp } from '#shared/model/service.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('a server that exits directly after each start is not restarted endlessly', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_500, to: 26_549 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'arcade', config: { ...SMALL, minimumRunningServers: 1 } });
  await putJar(master, 'arcade');
  const { id } = await serviceIn(master, 'RUNNING');
  // The server exits with code 0, although no person has stopped the service. The first time, the master replaces the
  // service at once.
  await master.call('services.command', { id, line: 'stop' });
  await waitFor(async () => (await servicesOf(master)).find((s) => s.id === 'arcade-2' && isUp(s)));
  await master.call('services.command', { id: 'arcade-2', line: 'stop' });
  const next = await waitFor(async () =>
    (await servicesOf(master)).find((s) => s.id === 'arcade-3' && s.waiting !== null),
  );
  expect(next).toMatchObject({ state: 'REQUESTED', waiting: { reason: 'BACKING_OFF' } });
  expect((next.waiting?.until ?? 0) - Date.now()).toBeGreaterThan(1_000);
  await serviceIn(master, 'RUNNING');
});
