import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it("who players are is a game server's own business until there is a template for proxies", async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_900, to: 27_909 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await writeFile(join(master.data, 'templates/lobby/server.properties'), 'online-mode=true\n');
  await putJar(master, 'lobby');
  const properties = async (id: string) =>
    readFile(join(master.data, 'services', id, 'files', 'server.properties'), 'utf8');
  const { id } = await serviceIn(master, 'RUNNING');
  expect(await properties(id)).toContain('online-mode=true\n');

  await master.call('templates.create', { id: 'gate', config: { ...SMALL, isProxy: true } });
  await setConfig(master, 'lobby', { minimumRunningServers: 2 });
  const second = await waitFor(async () =>
    (await servicesOf(master)).find((service) => service.id !== id && service.state === 'RUNNING'),
  );
  expect(await properties(second.id)).toContain('online-mode=false\n');
  expect(await properties(id)).toContain('online-mode=true\n');
});
