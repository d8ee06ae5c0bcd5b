import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { SoftwareId } from '#shared/model/software.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const SMALL = { minJvmMemory: 32, maxJvmMemory: 128, maxPlayers: 20 };

type NewTemplate = Params<'templates.createAll'>['templates'][number];

const bundled = (id: string, software: SoftwareId, config: Partial<TemplateConfig> = {}): NewTemplate => ({
  id,
  config: { ...SMALL, name: id, isProxy: software === 'practice-proxy', ...config },
  software: { software, version: null, build: null },
});

async function start(): Promise<MasterProcess> {
  await practiceProxyJar();
  await practiceServerJar();
  const master = new MasterProcess(temporaryFolder(), { from: 27_320, to: 27_329 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

/** Returns the paths of all files and folders of templates on the disk. */
async function onDisk({ data }: MasterProcess): Promise<readonly string[]> {
  const list = async (...path: readonly string[]): Promise<string[]> =>
    (await readdir(join(data, ...path)).catch(() => [])).map((name) => join(...path, name));
  const folders = [
    ['config', 'templates'],
    ['templates'],
    ['revisions'],
    ['state', 'last-good', 'templates'],
  ];
  return (await Promise.all(folders.map((path) => list(...path)))).flat().sort();
}

it('templates.createAll creates templates with their software, and their services start', async () => {
  const master = await start();
  const made = await master.call('templates.createAll', {
    eula: false,
    templates: [
      bundled('proxy', 'practice-proxy', { minimumRunningServers: 1 }),
      bundled('lobby', 'practice-server', { minimumRunningServers: 1, isFallback: true }),
    ],
  });
  expect(made.map(({ id, config }) => [id, config.isProxy])).toEqual([
    ['proxy', true],
    ['lobby', false],
  ]);
  await waitFor(async () => {
    const { services } = await master.call('services.list', {});
    return services.filter(({ state }) => state === 'RUNNING').length === 2;
  });
  const jar = await readFile(join(master.data, 'templates', 'proxy', 'server.jar'));
  expect(jar.equals(await readFile(await practiceProxyJar()))).toBe(true);
  const events = await master.call('activity.list', { limit: 100, kinds: ['template.created'] });
  expect(events.map(({ template, cause }) => `${template}: ${cause}`).sort()).toEqual([
    'lobby: requested by local: with Practice server',
    'proxy: requested by local: with Practice proxy',
  ]);
});

it('templates.createAll changes nothing if one of the templates cannot be created', async () => {
  const master = await start();
  await master.call('templates.create', { id: 'game', config: {} });
  await waitFor(async () => (await onDisk(master)).includes(join('revisions', 'game')));
  const before = await onDisk(master);
  const create = (...templates: readonly NewTemplate[]) =>
    master.call('templates.createAll', { eula: false, templates: [...templates] });
  const proxy = bundled('proxy', 'practice-proxy');
  const lobby = bundled('lobby', 'practice-server');

  for (const [last, code] of [
    [bundled('game', 'practice-server'), 'TEMPLATE_EXISTS'],
    [bundled('lobby', 'practice-server'), 'TEMPLATE_EXISTS'],
    [bundled('arena', 'practice-server', { maxPlayers: 0 }), 'CONFIG_FAULTY'],
    [bundled('arena', 'practice-server', { isProxy: true }), 'SOFTWARE_TYPE_DIFFERS'],
    [
      { ...lobby, id: 'arena', software: { software: 'paper', version: '1.21', build: '1' } },
      'EULA_REQUIRED',
    ],
  ] as const) {
    await expect(create(proxy, lobby, last)).rejects.toMatchObject({ code });
    expect(await onDisk(master), code).toEqual(before);
  }

  // After a kill of the master, the next start removes all templates in this note.
  const note = 'creating-templates.json';
  const written: (string | null)[] = [];
  const watcher = watch(join(master.data, 'state'), (_, name) => written.push(name));
  onTestFinished(() => watcher.close());
  await mkdir(join(master.data, 'templates', 'arena', 'world'), { recursive: true });
  await writeFile(join(master.data, 'templates', 'arena', 'world', 'level.dat'), 'kept');
  await expect(create(proxy, lobby, bundled('arena', 'practice-server'))).rejects.toMatchObject({
    code: 'TEMPLATE_EXISTS',
  });
  expect((await onDisk(master)).filter((path) => /proxy|lobby|coming/.test(path))).toEqual([]);
  expect(await readFile(join(master.data, 'templates', 'arena', 'world', 'level.dat'), 'utf8')).toBe('kept');
  written.push('now');

  await expect(create(proxy, lobby)).resolves.toHaveLength(2);
  await waitFor(() => written.includes(note));
  expect(written.indexOf(note)).toBeGreaterThan(written.indexOf('now'));
});

it('templates that were not complete when the master was killed are removed at the next start', async () => {
  const master = await start();
  await master.call('templates.create', { id: 'game', config: {} });
  await master.call('templates.createAll', {
    eula: false,
    templates: [bundled('proxy', 'practice-proxy'), bundled('lobby', 'practice-server')],
  });
  await waitFor(async () => {
    const all = await master.call('templates.list', {});
    return all.every(({ files }) => files.revision !== null);
  });
  await master.kill();
  // Create the state of a master that was killed before it removed its note.
  const note = join(master.data, 'state', 'creating-templates.json');
  await writeFile(note, JSON.stringify({ templates: ['proxy', 'lobby', 'arena'] }));

  await master.start();
  expect((await master.call('templates.list', {})).map(({ id }) => id)).toEqual(['game']);
  expect((await onDisk(master)).filter((path) => /proxy|lobby/.test(path))).toEqual([]);
  await expect(readFile(note)).rejects.toMatchObject({ code: 'ENOENT' });
});
