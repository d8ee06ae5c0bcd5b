import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Outdated } from '#master/control/services/outdated.ts';
import { serviceRamMb, templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('a service starts with the settings for which its RAM was allocated, even if its template changes meanwhile', async () => {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 26_550, to: 26_574 });
  const { config, templates, proxies, records, runtimeOf } = parts;
  const lobby = templateConfigSchema.parse({ ...SMALL, minimumRunningServers: 1 });
  await config.createTemplate('lobby', lobby);
  await templates.create('lobby');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  const readNow = proxies.readNow.bind(proxies);
  proxies.readNow = async () => {
    const edited = { ...lobby, maxJvmMemory: lobby.maxJvmMemory + 100 };
    await config.writeTemplate('lobby', edited, config.template('lobby').revision);
    return readNow();
  };
  const loop = await start();
  onTestFinished(() => loop.empty('the test ends'));
  const record = await waitFor(() => Promise.resolve(records.all.find(({ state }) => state === 'RUNNING')));
  const [process] = await runtimeOf('local').observe();
  expect(process?.spec.maxJvmMemoryMb).toBe(lobby.maxJvmMemory);
  expect(record.placed?.ramMb).toBe(serviceRamMb(lobby));
  const outdated = new Outdated();
  outdated.refresh(parts);
  expect(outdated.of(record)).toEqual(['maxJvmMemory']);
});
