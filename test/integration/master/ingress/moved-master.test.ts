import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import { freePort } from '#test/support/free-port.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, servicesOf, SMALL } from '#test/support/master/network.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('plugins of running services find the master at its new address, and the services keep running', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 28_480, to: 28_489 });
  onTestFinished(() => master.shutDown());
  const linked = (): Promise<Service> =>
    waitFor(async () => (await servicesOf(master)).find(({ plugin }) => plugin?.state === 'linked'), {
      what: 'a linked plugin',
      timeoutMs: 60_000,
    });
  await master.start();
  await master.call('templates.create', {
    id: 'gate',
    config: { ...SMALL, isProxy: true, minimumRunningServers: 1 },
  });
  await putJar(master, 'gate', await practiceProxyJar());
  const before = await linked();
  await master.terminate();

  const path = join(master.data, 'config/master.json');
  const config = JSON.parse(await readFile(path, 'utf8')) as { communication: { port: number } };
  config.communication.port = await freePort();
  await writeFile(path, JSON.stringify(config));
  await master.start();
  const { id, pid } = await linked();
  expect({ id, pid }).toEqual({ id: before.id, pid: before.pid });
  const file = join(master.data, 'services', id, 'files/overworld-link.properties');
  expect(await readFile(file, 'utf8')).toContain(`\nport=${config.communication.port}\n`);
});
