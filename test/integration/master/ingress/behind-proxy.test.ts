import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('game servers authenticate players themselves if there is no proxy template', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_900, to: 27_909 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await writeFile(join(master.data, 'templates/lobby/server.properties'), 'online-mode=true\n');
  await putJar(master, 'lobby');
  const properties = async (id: string) =>
    readFile(join(master.data, 'services', id, 'files', 'server.properties'), 'utf8');
  const another = async (...known: string[]): Promise<string> => {
    const found = await waitFor(async () =>
      (await servicesOf(master)).find(
        (service) =>
          !known.includes(service.id) && service.state === 'RUNNING' && service.template === 'lobby',
      ),
    );
    return found.id;
  };
  const { id } = await serviceIn(master, 'RUNNING');
  expect(await properties(id)).toContain('online-mode=true\n');

  // The template `game` is marked as a proxy only by default. It does not authenticate players, so game servers still
  // authenticate players themselves.
  await master.call('templates.create', { id: 'game', config: { ...SMALL, isProxy: true } });
  await putJar(master, 'game');
  await setConfig(master, 'lobby', { minimumRunningServers: 2 });
  const second = await another(id);
  expect(await properties(second)).toContain('online-mode=true\n');

  await master.call('templates.create', { id: 'gate', config: { ...SMALL, isProxy: true } });
  const probe = buildProbeServer('Implementation-Title: BungeeCord-Bootstrap\n');
  onTestFinished(probe.remove);
  await copyFile(probe.jar, join(master.data, 'templates/gate/server.jar'));
  await waitFor(async () => {
    const gate = (await master.call('templates.list', {})).find((template) => template.id === 'gate');
    return gate?.files.jar?.software?.startsWith('BungeeCord');
  });
  await setConfig(master, 'lobby', { minimumRunningServers: 3 });
  expect(await properties(await another(id, second))).toContain('online-mode=false\n');
  expect(await properties(id)).toContain('online-mode=true\n');
});
