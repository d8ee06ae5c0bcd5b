import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { SoftwareId } from '#shared/model/software.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { FakeCatalogue } from '#test/support/software/fake-catalogue.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const SMALL = { minJvmMemory: 32, maxJvmMemory: 128, maxPlayers: 20 };

let fake: FakeCatalogue;
let master: MasterProcess;

beforeEach(async () => {
  fake = await FakeCatalogue.start();
  onTestFinished(() => fake.close());
  master = new MasterProcess(temporaryFolder(), { from: 27_330, to: 27_339 }, [
    '--software-mirror',
    fake.url,
  ]);
  onTestFinished(() => master.shutDown());
  await master.start();
});

/** Maximum time for the start of JVMs on a busy machine (ms). */
const START_MS = 100_000;

const download = (software: SoftwareId, build: string | null = null) =>
  master.call('software.download', { software, version: null, build, task: randomUUID() });
const template = async (id: string) => (await master.call('templates.list', {})).find((one) => one.id === id);
const running = async (revision?: string | null) => {
  const { services } = await master.call('services.list', {});
  return services.filter((one) => one.state === 'RUNNING' && (revision ?? one.revision) === one.revision);
};

it('software methods create a template, record the acceptance of the EULA, and update and restore the jar', async () => {
  const [velocity, paper] = [await download('velocity'), await download('paper', '130')];
  const request = {
    templates: [
      {
        id: 'proxy',
        config: { ...SMALL, name: 'Proxy', isProxy: true, minimumRunningServers: 1 },
        software: velocity,
      },
      {
        id: 'lobby',
        config: { ...SMALL, name: 'Lobby', isProxy: false, minimumRunningServers: 1 },
        software: paper,
      },
    ],
  };
  await expect(master.call('templates.createAll', { ...request, eula: false })).rejects.toMatchObject({
    code: 'EULA_REQUIRED',
  });
  expect(await master.call('templates.list', {})).toEqual([]);
  await master.call('templates.createAll', { ...request, eula: true });
  await waitFor(async () => (await running()).length === 2, {
    timeoutMs: START_MS,
    what: 'both services to run',
  });

  const eula = await readFile(join(master.data, 'templates', 'lobby', 'eula.txt'), 'utf8');
  expect(eula).toMatch(
    /^# https:\/\/aka\.ms\/MinecraftEULA\n# Accepted by local in Overworld on .+Z\.\neula=true\n$/,
  );
  await expect(readFile(join(master.data, 'templates', 'proxy', 'eula.txt'))).rejects.toThrow();
  const recorded = await master.call('security.list', { order: 'newest', limit: 100 });
  expect(recorded.entries.map(({ message }) => message)).toContain(
    'local accepted the Minecraft EULA for template lobby',
  );

  expect((await template('lobby'))?.software).toEqual({
    software: 'paper',
    version: '1.21.11',
    build: '130',
  });
  expect((await template('proxy'))?.software).toEqual(velocity);
  const updates = await master.call('software.updates', {});
  expect(updates).toEqual([
    { template: 'lobby', newest: { software: 'paper', version: '1.21.11', build: '131' } },
  ]);

  const before = (await template('lobby'))?.files.revision;
  const newest = await download('paper');
  const installed = await master.call('software.install', { id: 'lobby', ...newest, eula: false });
  expect(installed).toEqual({ before });
  const after = await template('lobby');
  expect(after?.software).toEqual(newest);
  expect(await readFile(join(master.data, 'templates', 'lobby', 'eula.txt'), 'utf8')).toBe(eula);
  expect(await master.call('software.updates', {})).toEqual([]);
  await master.call('templates.restart', { id: 'lobby', which: 'outdated' });
  await waitFor(async () => (await running(after?.files.revision)).length > 0, {
    timeoutMs: START_MS,
    what: 'a service with the newer build to run',
  });

  await master.call('templates.restoreRevision', { id: 'lobby', revision: before ?? '' });
  await waitFor(async () => (await template('lobby'))?.software?.build === '130');
});

it('software.install rejects software of the wrong type or without a download, and changes nothing', async () => {
  await master.call('templates.create', { id: 'proxy', config: { ...SMALL, name: 'Proxy', isProxy: true } });
  await waitFor(async () => (await template('proxy'))?.files.revision !== null);
  const before = await template('proxy');
  const install = (software: SoftwareId, version: string | null, build: string | null) =>
    master.call('software.install', { id: 'proxy', ...{ software, version, build }, eula: true });
  await expect(install('practice-server', null, null)).rejects.toMatchObject({
    code: 'SOFTWARE_TYPE_DIFFERS',
  });
  await expect(install('velocity', '3.4.0-SNAPSHOT', '131')).rejects.toMatchObject({
    code: 'SOFTWARE_NOT_DOWNLOADED',
  });
  expect(await template('proxy')).toEqual(before);
  await install('practice-proxy', null, null);
  expect(await template('proxy')).toMatchObject({
    software: { software: 'practice-proxy' },
    files: { jar: { software: expect.stringContaining('practice proxy') as string } },
  });
});

it('commands install and update the software of templates', async () => {
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, name: 'Lobby', isProxy: false } });
  await waitFor(async () => (await template('lobby'))?.files.revision !== null);
  const cli = cliOf(master.data);
  expect((await cli('software', 'versions', 'paper')).out).toMatch(/1\.21\.12-pre1 +no\n.*1\.21\.11 +yes/);
  expect((await cli('software', 'builds', 'paper', '1.21.11')).out).toMatch(/131 +yes +2026/);
  expect(await cli('software', 'install', 'lobby', 'paper')).toMatchObject({
    code: 1,
    err: expect.stringContaining("Mojang's EULA") as string,
  });
  const installed = await cli('software', 'install', 'lobby', 'paper', '1.21.11', '130', '--accept-eula');
  expect(installed).toMatchObject({ code: 0, err: '' });
  expect(installed.out).toContain('Template lobby has Paper 1.21.11, build 130.');
  expect((await cli('software', 'update')).out).toBe('lobby: Paper 1.21.11, build 131 is available\n');
  expect((await cli('software', 'update', 'lobby')).out).toContain(
    'Template lobby has Paper 1.21.11, build 131.',
  );
  expect((await cli('software', 'update', 'lobby')).out).toBe(
    'There is no newer build for template lobby.\n',
  );
  expect((await cli('software', 'list')).out).toMatch(/Paper 1\.21\.11, build 130 .*sha256\n.*build 131/);
  expect(await cli('software', 'builds', 'paper', '../etc')).toMatchObject({ code: 2 });
});
