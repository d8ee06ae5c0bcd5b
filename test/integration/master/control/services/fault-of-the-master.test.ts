import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it("a start that fails because the master's own disk is full is not counted against the node", async () => {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 27_960, to: 27_969 });
  const { config, templates, volumes, records, nodeBackoff, startBackoffs } = parts;
  const world = { ...SMALL, minimumRunningServers: 1, persistentPaths: ['world'] };
  await config.createTemplate('survival', templateConfigSchema.parse(world));
  await templates.create('survival');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'survival', 'server.jar'));
  volumes.make = () => Promise.reject(new OverworldError('DISK_FULL', { path: data }));
  const loop = await start();
  onTestFinished(() => loop.empty('the test ends'));
  const { failure } = await waitFor(() =>
    Promise.resolve(records.all.find((record) => record.failure !== null)),
  );
  expect(failure?.error.code).toBe('DISK_FULL');
  expect(nodeBackoff.of('local')).toEqual([]);
  expect(startBackoffs.retryAt('survival')).toBeGreaterThan(0);
});
