import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { loopFixture, type LoopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const full = new OverworldError('DISK_FULL', { path: '/var/lib/overworld' });
const noJava = { version: 25, node: 'local', why: 'it has no room for the download' };

/** Makes each preparation of a service fail with the given error. */
function failPreparing(error: OverworldError) {
  return (parts: LoopFixture['parts']): void => {
    parts.runtimeOf('local').prepare = () => Promise.reject(error);
  };
}

/** Runs a master until a start has failed. Returns the code of the error, and what the failure counts against. */
async function afterFailedStart(makeFail: (parts: LoopFixture['parts']) => void) {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 27_960, to: 27_969 });
  const { config, templates, records, nodeBackoff, startBackoffs } = parts;
  const world = { ...SMALL, minimumRunningServers: 1, persistentPaths: ['world'] };
  await config.createTemplate('survival', templateConfigSchema.parse(world));
  await templates.create('survival');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'survival', 'server.jar'));
  makeFail(parts);
  const loop = await start();
  onTestFinished(() => loop.empty('the test ends'));
  const { failure } = await waitFor(() =>
    Promise.resolve(records.all.find((record) => record.failure !== null)),
  );
  return {
    code: failure?.error.code,
    ofNode: nodeBackoff.of('local'),
    retryAt: startBackoffs.retryAt('survival'),
  };
}

it.each<[string, string, (parts: LoopFixture['parts']) => void]>([
  ['while a volume is attached', 'DISK_FULL', ({ volumes }) => (volumes.make = () => Promise.reject(full))],
  [
    'while Java is downloaded',
    'JAVA_UNAVAILABLE',
    failPreparing(new OverworldError('JAVA_UNAVAILABLE', { ...noJava, isOnMaster: true })),
  ],
])(
  "a start that fails because the master's own disk is full %s is not counted against the node",
  async (_, wanted, makeFail) => {
    const { code, ofNode, retryAt } = await afterFailedStart(makeFail);
    expect(code).toBe(wanted);
    expect(ofNode).toEqual([]);
    expect(retryAt).toBeGreaterThan(0);
  },
);

it.each([
  { says: 'its disk is full', error: full, concernsOnlyTemplate: false },
  {
    says: 'it cannot get the Java of the template, which other templates may not need',
    error: new OverworldError('JAVA_UNAVAILABLE', noJava),
    concernsOnlyTemplate: true,
  },
])('a start that fails on a node because $says counts against the node', async (failed) => {
  const { error, concernsOnlyTemplate } = failed;
  const { ofNode, retryAt } = await afterFailedStart(failPreparing(error));
  expect(ofNode).toMatchObject([{ template: 'survival', concernsOnlyTemplate }]);
  expect(retryAt).toBeNull();
});
