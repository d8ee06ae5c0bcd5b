import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Runs a command line on the data folder of a master. @returns the output of the command, including its errors */
async function cli(master: MasterProcess, ...args: readonly string[]): Promise<string> {
  return (await cliOf(master.data)(...args)).text;
}

async function masterWithLobby(from: number): Promise<{ master: MasterProcess; live: string }> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 9 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await putJar(master, 'lobby');
  const { id } = await serviceIn(master, 'RUNNING');
  const live = join(master.data, 'services', id, 'files');
  await mkdir(join(live, 'world'), { recursive: true });
  await mkdir(join(live, 'crash-reports'), { recursive: true });
  await writeFile(join(live, 'world/level.dat'), 'built by players');
  await writeFile(join(live, 'crash-reports/crash-1-server.txt'), 'why it crashed\n');
  return { master, live };
}

it('files of a running service can be copied, and its crash reports are kept after a stop', async () => {
  const { master, live } = await masterWithLobby(27_360);
  expect(await cli(master, 'service', 'files', 'list', 'lobby-1', 'world')).toContain('level.dat');
  await writeFile(join(live, 'overworld-link.properties'), 'token=secret');
  await mkdir(join(live, 'plugins'));
  await writeFile(join(live, 'plugins/overworld.jar'), 'jar');
  const stored: unknown = JSON.parse(await readFile(join(master.data, 'config/forwarding.json'), 'utf8'));
  const { secret } = z.object({ secret: z.string() }).parse(stored);
  await writeFile(join(live, 'paper-global.yml'), `secret: ${secret}\n`);
  const kept = await master.call('services.keepCopy', { id: 'lobby-1', task: randomUUID() });
  expect(kept.folder).toMatch(/^\/files\/service-copies\/lobby-1\/\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d$/);
  const copy = join(master.data, kept.folder);
  expect(await readFile(join(copy, 'world/level.dat'), 'utf8')).toBe('built by players');
  // The copy contains neither the files of the plugin nor the secret of the network.
  expect(kept.skipped).toEqual(['overworld-link.properties', 'plugins/overworld.jar']);
  expect((await readdir(copy)).toSorted()).toEqual([
    'crash-reports',
    'paper-global.yml',
    'plugins',
    'server.jar',
    'server.properties',
    'world',
  ]);
  expect(await readFile(join(copy, 'paper-global.yml'), 'utf8')).toMatch(
    /^secret: removed-by-overworld-+\n$/,
  );
  expect((await readdir(join(master.data, 'arriving'))).filter((name) => name.startsWith('.task-'))).toEqual(
    [],
  );

  const target = join(temporaryFolder(), 'level.dat');
  expect(await cli(master, 'service', 'files', 'get', 'lobby-1', 'world/level.dat', '-o', target)).toContain(
    '16 bytes',
  );
  expect(await readFile(target, 'utf8')).toBe('built by players');

  const stopped = await cli(master, 'service', 'stop', 'lobby-1');
  expect(stopped).toBe(
    'lobby-1 is being stopped. Everything it wrote is deleted, such as worlds and plugin data. ' +
      'Only its newest crash reports and logs are kept.\n',
  );
  await waitFor(async () => (await servicesOf(master)).every(({ id }) => id !== 'lobby-1'), {
    what: 'lobby-1 to end',
  });
  expect(await cli(master, 'service', 'logs', 'lobby-1', '--kept')).toContain(
    'crash-reports/crash-1-server.txt',
  );
  const path = 'crash-reports/crash-1-server.txt';
  expect(await cli(master, 'service', 'logs', 'lobby-1', '--file', path)).toBe('why it crashed\n');
  expect(await cli(master, 'service', 'files', 'list', 'lobby-1')).toContain('There is no service "lobby-1"');
});

it('files of a service can be copied to its template, and the next service of the template gets them', async () => {
  const { master, live } = await masterWithLobby(27_370);
  await writeFile(join(live, 'server.properties'), 'motd=changed\n');
  const copied = await cli(
    master,
    'service',
    'files',
    'to-template',
    'lobby-1',
    'world',
    'server.properties',
  );
  expect(copied).toBe('2 files (29 bytes) of lobby-1 are copied to template lobby.\n');
  const world = join(master.data, 'templates/lobby/world/level.dat');
  expect(await readFile(world, 'utf8')).toBe('built by players');

  // Existing files are replaced only on request.
  await writeFile(join(live, 'world/level.dat'), 'built later');
  const skipping = await cli(master, 'service', 'files', 'to-template', 'lobby-1', 'world');
  expect(skipping).toContain('Not copied: /templates/lobby/world/level.dat.');
  expect(await readFile(world, 'utf8')).toBe('built by players');
  await cli(master, 'service', 'files', 'to-template', 'lobby-1', 'world', '--replace');
  expect(await readFile(world, 'utf8')).toBe('built later');

  await waitFor(
    async () => (await master.call('templates.list', {})).every(({ files }) => files.revision !== null),
    { what: 'a new revision of the template' },
  );
  await master.call('services.stop', { id: 'lobby-1', kill: false });
  const next = await waitFor(
    async () => (await servicesOf(master)).find(({ id, state }) => id !== 'lobby-1' && state === 'RUNNING'),
    { what: 'the next service' },
  );
  const inherited = join(master.data, 'services', next.id, 'files/world/level.dat');
  expect(await readFile(inherited, 'utf8')).toBe('built later');
  const events = await master.call('activity.list', { limit: 50 });
  expect(events.map(({ message }) => message)).toContain(
    'local copied files of service lobby-1 to /templates/lobby (2 files)',
  );

  await setConfig(master, 'lobby', { persistentPaths: ['world'] });
  const warned = await cli(master, 'service', 'files', 'to-template', next.id, 'world');
  expect(warned).toContain('world is at a persistent path');
});
