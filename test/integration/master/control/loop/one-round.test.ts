import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('the control loop stores a new service with its node in one write before it prepares the service', async () => {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 26_450, to: 26_474 });
  const config = templateConfigSchema.parse({ ...SMALL, minimumRunningServers: 1 });
  await parts.templates.create('lobby');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  await waitFor(() => {
    const { revision, changing } = parts.templates.state('lobby');
    return Promise.resolve(revision !== null && !changing);
  });
  const onDisk = async (): Promise<string> => readFile(join(data, 'state', 'services.json'), 'utf8');
  const stored: string[] = [];
  const { records } = parts;
  const save = records.save.bind(records);
  records.save = async () => {
    await save();
    stored.push(...records.all.map(({ id, state, node }) => `${id} ${state} on ${node}`));
  };
  const preparedFrom: string[] = [];
  const own = parts.runtimeOf('local');
  const prepare = own.prepare.bind(own);
  own.prepare = async (...given) => {
    preparedFrom.push(await onDisk());
    await prepare(...given);
  };
  const loop = await start();
  onTestFinished(() => loop.empty('the test ends'));
  await parts.config.createTemplate('lobby', config);
  loop.poke();
  await waitFor(() => Promise.resolve(records.all.some(({ state }) => state === 'RUNNING')), {
    what: 'lobby-1 to run',
  });
  expect(stored[0]).toBe('lobby-1 PREPARING on local');
  // If the master is killed after this point, the next master finds the service and the node that was asked to
  // prepare it.
  expect(preparedFrom).toHaveLength(1);
  expect(JSON.parse(preparedFrom[0] ?? '')).toMatchObject({
    numbers: { lobby: 1 },
    services: [{ id: 'lobby-1', node: 'local' }],
  });
});
