import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ENTRY = { path: 'rules.txt', destination: 'rules.txt' };

/** Starts a master whose template `lobby` uses a shared file. */
async function aLobbyWithRules() {
  const master = new MasterProcess(temporaryFolder(), { from: 26_575, to: 26_599 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const writeRules = (text: string): Promise<void> =>
    writeFile(join(master.data, 'files', 'rules.txt'), text);
  const begin = async (): Promise<void> => {
    const config = { ...SMALL, minimumRunningServers: 1, defaultServiceFiles: [ENTRY] };
    await master.call('templates.create', { id: 'lobby', config });
    await putJar(master, 'lobby');
  };
  return { master, writeRules, begin };
}

it('a changed shared file makes services outdated, even after a restart of the master', async () => {
  const { master, writeRules, begin } = await aLobbyWithRules();
  await writeRules('no griefing');
  await begin();
  expect((await serviceIn(master, 'RUNNING')).outdated).toEqual([]);
  await writeRules('no griefing, no ads');
  const outdated = async (): Promise<boolean> =>
    (await servicesOf(master))[0]?.outdated.join() === 'shared files';
  await waitFor(outdated);
  await master.kill();
  await master.start();
  await waitFor(outdated);
  await writeRules('no griefing');
  await waitFor(async () => (await servicesOf(master))[0]?.outdated.length === 0);
});

it('a changed shared file ends the back-off of templates that use the file', async () => {
  const { master, writeRules, begin } = await aLobbyWithRules();
  await begin();
  const waiting = await waitFor(async () => {
    const [service] = await servicesOf(master);
    return (service?.failure?.attempts ?? 0) >= 2 ? service?.waiting : null;
  });
  await writeRules('no griefing');
  await serviceIn(master, 'RUNNING');
  const [begun] = await master.call('activity.list', { kinds: ['service.preparing'], limit: 1 });
  expect(begun?.at).toBeLessThan(waiting.until ?? 0);
});
