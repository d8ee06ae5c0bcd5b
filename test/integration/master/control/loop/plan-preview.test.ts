import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import { deletedDataWords } from '#shared/text/deleted-data.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const LOBBY = { ...SMALL, minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 };

async function aMaster(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 11 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: LOBBY });
  await putJar(master, 'lobby');
  await serviceIn(master, 'RUNNING');
  return master;
}

/**
 * Returns the contents of all files in which a master stores settings and requests, by path. The history of the network
 * is left out, because the master writes it at certain times.
 */
async function kept(master: MasterProcess): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of ['config', 'config/templates', 'state']) {
    for (const entry of await readdir(join(master.data, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isFile() && entry.name !== 'history.jsonl')
        files.set(path, await readFile(join(master.data, path), 'utf8'));
    }
  }
  return files;
}

/** Runs the command line on the data folder of a running master. */
const cli = (master: MasterProcess, ...args: readonly string[]): Promise<Printed> =>
  cliOf(master.data)(...args);

it('the plan preview lists the actions that an edit would cause, with reasons, and performs none of them', async () => {
  const master = await aMaster(26_575);
  const before = await kept(master);
  expect((await master.call('plan.preview', {}))?.actions).toEqual([]);
  const raised = await master.call('plan.preview', {
    template: { id: 'lobby', config: { ...LOBBY, minimumRunningServers: 3 } },
  });
  expect(
    raised?.actions.map(({ kind, service, node }) => `${kind} ${service ?? ''} ${node ?? ''}`.trim()),
  ).toEqual(['request lobby-2', 'request lobby-3', 'start lobby-2 local', 'start lobby-3 local']);
  expect(raised?.actions[0]?.cause).toContain('minimumRunningServers is 3');
  expect(raised).toMatchObject({ waiting: [], unmet: [], noOrder: null });

  // A service without a node is placed with the RAM limit of the edited template.
  const tooBig = await master.call('plan.preview', {
    template: { id: 'lobby', config: { ...LOBBY, minimumRunningServers: 2, maxJvmMemory: 1_000_000 } },
  });
  expect(tooBig?.waiting).toMatchObject([{ service: 'lobby-2' }]);

  const created = await master.call('plan.preview', {
    template: { id: 'games', config: { ...SMALL, minimumRunningServers: 1 } },
  });
  expect(created?.waiting).toMatchObject([{ service: 'games-1', wait: { reason: 'SERVER_JAR_MISSING' } }]);

  const { config } = await master.call('config.get', {});
  expect(
    (await master.call('plan.preview', { master: { ...config, max_online_players: 7 } }))?.actions,
  ).toEqual([]);

  await expect(
    master.call('plan.preview', { template: { id: 'lobby', config: { ...LOBBY, maxPlayers: 0 } } }),
  ).rejects.toMatchObject({ code: 'CONFIG_FAULTY', details: { problems: [{ field: 'maxPlayers' }] } });
  await expect(master.call('plan.preview', { master: { max_online_players: -1 } })).rejects.toMatchObject({
    code: 'CONFIG_FAULTY',
    details: { document: 'The master configuration' },
  });

  expect((await servicesOf(master)).map(({ id }) => id)).toEqual(['lobby-1']);
  expect(await kept(master)).toEqual(before);
});

it('the plan preview counts the services that an edit makes outdated', async () => {
  const master = await aMaster(27_062);
  const edit = join(temporaryFolder(), 'lobby.json');
  const outdatedBy = async (changed: Partial<TemplateConfig>) => {
    const config = { ...LOBBY, ...changed };
    await writeFile(edit, JSON.stringify(config));
    return (await master.call('plan.preview', { template: { id: 'lobby', config } }))?.outdated;
  };
  const lobby = [{ template: 'lobby', services: 1 }];
  expect(await outdatedBy({})).toEqual([]);
  expect(await outdatedBy({ priority: 7 })).toEqual([]);
  expect(
    await outdatedBy({ defaultServiceFiles: [{ path: 'rules.txt', destination: 'rules.txt' }] }),
  ).toEqual(lobby);
  expect(await outdatedBy({ maxPlayers: LOBBY.maxPlayers + 1 })).toEqual(lobby);
  expect((await cli(master, 'plan', '--with', edit)).out).toBe(
    'The rules would do nothing.\n\n1 service of lobby becomes outdated: it keeps running with the old settings until it is restarted.\n',
  );
  expect((await cli(master, 'plan')).out).toBe('The rules would do nothing.\n');
  expect((await servicesOf(master))[0]?.outdated).toEqual([]);

  // The saved edit has already made the service outdated, so a further edit does not count the service again.
  await setConfig(master, 'lobby', { maxPlayers: LOBBY.maxPlayers + 1 });
  await waitFor(async () => (await servicesOf(master))[0]?.outdated.join() === 'maxPlayers');
  expect(await outdatedBy({ maxPlayers: LOBBY.maxPlayers + 2 })).toEqual([]);
});

it('commands show the plan preview, check edited files, and pause services, templates and nodes', async () => {
  const master = await aMaster(26_587);
  const files = temporaryFolder();
  const nothing = { code: 0, out: 'The rules would do nothing.\n', err: '' };
  expect(await cli(master, 'plan', '--dry-run')).toMatchObject(nothing);
  expect(await cli(master, 'plan')).toMatchObject(nothing);

  const edit = join(files, 'lobby.json');
  await writeFile(edit, JSON.stringify({ ...LOBBY, minimumRunningServers: 2 }));
  const planned = await cli(master, 'plan', '--dry-run', '--with', edit);
  expect(planned.code).toBe(0);
  expect(planned.out).toMatch(
    /^AFTER +ACTION +SERVICE +NODE +WHY\nnow +request +lobby-2 +minimumRunningServers is 2/,
  );
  expect(planned.out).toMatch(/now +start +lobby-2 +local +priority 1/);
  const asNew = await cli(master, 'plan', '--dry-run', '--with', edit, '--template', 'games', '--json');
  expect(JSON.parse(asNew.out)).toMatchObject({ waiting: [{ service: 'games-1' }, { service: 'games-2' }] });
  expect(await cli(master, 'plan', '--dry-run', '--template', 'games')).toMatchObject({ code: 2 });

  await writeFile(join(files, 'bad.json'), '{\n"maxPlayers": 0\n}');
  const bad = await cli(master, 'plan', '--dry-run', '--with', join(files, 'bad.json'));
  expect(bad).toMatchObject({ code: 1, err: '' });
  expect(bad.out).toMatch(/bad\.json: maxPlayers \(line 2\) .*0/);
  const badName = await cli(master, 'plan', '--dry-run', '--with', join(files, 'Bad Name.json'));
  expect(badName).toMatchObject({ code: 1, out: expect.stringContaining('--template') as string });
  const gone = await cli(master, 'plan', '--dry-run', '--with', join(files, 'gone.json'));
  const goneText = `${join(files, 'gone.json')} on this computer cannot be used: it does not exist.\n`;
  expect(gone).toMatchObject({ code: 1, out: '', err: goneText });

  expect(await cli(master, 'service', 'hold', 'lobby-1')).toMatchObject({ code: 0 });
  expect(await cli(master, 'template', 'hold', 'lobby')).toMatchObject({ code: 0 });
  expect(await cli(master, 'node', 'lock', 'local')).toMatchObject({ code: 0 });
  expect(await cli(master, 'node', 'cordon', 'local')).toMatchObject({ code: 0 });
  await waitFor(async () => (await servicesOf(master))[0]?.held);
  const status = await cli(master, 'status');
  expect(status.out).toMatch(/local +CORDONED .*protected from release/);
  expect(status.out).toMatch(/lobby-1 +RUNNING \(paused\)/);
  expect(status.out).toContain('Automation of template lobby is paused.');
  expect((await cli(master, 'template', 'list')).out).toMatch(/lobby .*ok, paused/);
  for (const args of [
    ['service', 'put-back', 'lobby-1'],
    ['template', 'put-back', 'lobby'],
    ['node', 'unlock', 'local'],
    ['node', 'resume', 'local'],
  ]) {
    expect(await cli(master, ...args)).toMatchObject({ code: 0 });
  }
  expect((await cli(master, 'node', 'list')).out).toMatch(/local +READY +[\d.]+ +439 +\d+ +1\n/);
  expect(await cli(master, 'node', 'drain', 'node-9')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no node "node-9"') as string,
  });
});

it('the master reports why a template lacks services, in the template list and once in the activity log', async () => {
  const master = await aMaster(26_563);
  await setConfig(master, 'lobby', { minimumRunningServers: 3, maximumOnlineServers: 1 });
  const unmet = await waitFor(async () => (await master.call('templates.list', {}))[0]?.unmet);
  expect(unmet).toMatchObject({ missing: 2, wait: { reason: 'CAP_REACHED' } });
  expect(await master.call('plan.noOrder', {})).toBeNull();
  const query = { limit: 100, subject: 'lobby', kinds: ['service.waiting' as const] };
  await waitFor(async () => (await master.call('activity.list', query)).length > 0);
  await setConfig(master, 'lobby', { minimumRunningServers: 2 });
  await waitFor(async () => (await master.call('templates.list', {}))[0]?.unmet?.missing === 1);
  await setConfig(master, 'lobby', { minimumRunningServers: 1 });
  await waitFor(async () => (await master.call('templates.list', {}))[0]?.unmet === null);
  const [event, ...more] = await master.call('activity.list', query);
  expect(event).toMatchObject({
    subject: { type: 'template' },
    message: 'Template lobby is missing 2 services',
    cause: unmet.wait.message,
  });
  expect(more).toEqual([]);
});

it('commands restart services, delete templates and release nodes', async () => {
  const master = await aMaster(27_050);
  const one = async () => (await servicesOf(master)).find(({ state }) => state === 'RUNNING');
  const first = await waitFor(one);
  const refused = await cli(master, 'node', 'release', 'local');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('your own machine') as string });

  expect(await cli(master, 'service', 'restart', 'lobby-1', '--kill')).toMatchObject({
    code: 0,
    out: `lobby-1 is being restarted. ${deletedDataWords({ count: 1 })}\n`,
  });
  await waitFor(async () => ((await one())?.pid ?? first.pid) !== first.pid, { what: 'lobby-1 restarted' });

  expect((await cli(master, 'template', 'restart', 'lobby')).out).toBe('No service needs to be replaced.\n');
  expect((await cli(master, 'template', 'restart', 'lobby', '--cancel')).out).toBe(
    'No rolling restart was running.\n',
  );
  expect(await cli(master, 'template', 'restart', 'lobby', '--all', '--cancel')).toMatchObject({ code: 2 });
  expect((await cli(master, 'template', 'restart', 'lobby', '--all')).out).toBe(
    'lobby-1 is being replaced.\n',
  );
  await waitFor(async () => (await servicesOf(master)).every(({ id }) => id !== 'lobby-1'), {
    what: 'lobby-1 replaced',
  });

  expect((await cli(master, 'template', 'delete', 'lobby')).err).toContain('Stop them first');
  await master.call('services.hold', { id: 'lobby-2', held: true });
  expect((await cli(master, 'template', 'delete', 'lobby', '--drain')).out).toBe(
    'lobby is deleted once its last service has stopped.\n',
  );
  expect((await cli(master, 'template', 'list')).out).toMatch(/lobby .*ok, is being deleted/);
  expect((await cli(master, 'template', 'delete', 'lobby', '--cancel')).out).toBe('lobby stays.\n');
  expect((await cli(master, 'template', 'list')).out).toMatch(/lobby .*ok\n/);
  expect((await cli(master, 'template', 'delete', 'lobby', '--stop')).out).toBe('lobby was deleted.\n');
  expect(await master.call('templates.list', {})).toEqual([]);
});
