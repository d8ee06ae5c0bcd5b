import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { startMaster, type RunningMaster } from '#master/boot/daemon.ts';
import { withMaster } from '#master/cli/client.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { Template } from '#shared/model/template.ts';
import type { PlanPreview } from '#shared/model/plan-preview.ts';
import { connect, makePerson, openRpc } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const PASSWORD = 'hunter2';
const shown = { name: 'DB_PASSWORD', value: PASSWORD };
const hidden = { name: 'DB_PASSWORD', value: SECRET_MASK };

async function start(data: string): Promise<RunningMaster> {
  const running = await startMaster({
    ...{ data, sshHost: '127.0.0.1', sshPort: 0, local: false, log: pino({ level: 'silent' }) },
  });
  onTestFinished(() => running.close());
  return running;
}

it('only keys that may read the document of a template can see values of its environment variables', async () => {
  const data = temporaryFolder();
  const { host, port, hostKey } = await start(data);
  const environment = [shown];
  const people = {
    viewer: { role: 'viewer' },
    operator: { role: 'operator' },
    limited: { role: 'operator', templates: ['lobby'] },
  } as const;
  const keys = new Map(Object.keys(people).map((name) => [name, makePerson(name)]));
  await withMaster(data, async (master) => {
    for (const id of ['lobby', 'arena']) {
      await master.call('templates.create', { id, config: { environment } });
    }
    for (const [name, rights] of Object.entries(people)) {
      const templates = 'templates' in rights ? { templates: [...rights.templates] } : {};
      const publicKey = keys.get(name)?.publicKey ?? '';
      await master.call('keys.add', { name, role: rights.role, publicKey, ...templates });
    }
  });
  const seenBy = async (name: string): Promise<Record<string, unknown>> => {
    const person = keys.get(name) ?? makePerson(name);
    const rpc = await openRpc(
      await connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, person),
    );
    const templates: Template[] = await rpc.sendRequest('templates.list', {});
    const events = JSON.stringify(await rpc.sendRequest('activity.list', { limit: 50 }));
    expect(events).not.toContain(PASSWORD);
    return Object.fromEntries(
      templates.map(({ id, config, problems }) => {
        expect(JSON.stringify(problems)).not.toContain(PASSWORD);
        return [id, config.environment[0]];
      }),
    );
  };
  expect(await seenBy('viewer')).toEqual({ arena: hidden, lobby: hidden });
  expect(await seenBy('operator')).toEqual({ arena: shown, lobby: shown });
  expect(await seenBy('limited')).toEqual({ arena: hidden, lobby: shown });

  // The problems of a faulty document do not contain its values.
  const path = join(data, 'config', 'templates', 'lobby.json');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(`"value": "${PASSWORD}"`, `"value": ["${PASSWORD}"]`));
  await waitFor(async () => {
    const templates = await withMaster(data, (master) => master.call('templates.list', {}));
    return templates
      .find(({ id }) => id === 'lobby')
      ?.problems.some(({ field }) => field === 'environment[0].value');
  });
  expect(await seenBy('viewer')).toEqual({ arena: hidden, lobby: hidden });
});

it('the revision of a document does not tell viewers whether a guess of a hidden value is right', async () => {
  const data = temporaryFolder();
  const { host, port, hostKey } = await start(data);
  const viewer = makePerson('viewer');
  const save = (value: string, maxPlayers: number): Promise<Template> =>
    withMaster(data, async (master) => {
      const [lobby] = await master.call('templates.list', {});
      const config = { maxPlayers, environment: [{ ...shown, value }] };
      if (lobby === undefined) return master.call('templates.create', { id: 'lobby', config });
      return master.call('templates.update', { id: 'lobby', config, basedOn: lobby.configRevision });
    });
  const saved = [await save(PASSWORD, 50)];
  const { publicKey } = viewer;
  await withMaster(data, (master) => master.call('keys.add', { name: 'viewer', role: 'viewer', publicKey }));
  const connection = await connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, viewer);
  const rpc = await openRpc(connection);
  const revisionSeen = async (): Promise<string | undefined> =>
    (await rpc.sendRequest<Template[]>('templates.list', {}))[0]?.configRevision;
  const seen = [await revisionSeen()];
  for (const [value, maxPlayers] of [
    ['hunter3', 50],
    ['hunter3', 60],
  ] as const) {
    saved.push(await save(value, maxPlayers));
    seen.push(await revisionSeen());
  }
  const revisions = saved.map(({ configRevision }) => configRevision);
  expect(new Set(revisions).size).toBe(3);
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[1]);
  expect(revisions).not.toContain(seen[0]);
});

it('keeps the value of a variable when a client saves the template with the mask of the value', async () => {
  const data = temporaryFolder();
  await start(data);
  await withMaster(data, async (master) => {
    const { config, configRevision: basedOn } = await master.call('templates.create', {
      ...{ id: 'lobby', config: { environment: [shown] } },
    });
    const sent = { ...config, maxPlayers: 60, environment: [hidden] };
    const saved = await master.call('templates.update', { id: 'lobby', config: sent, basedOn });
    expect(saved.config).toEqual({ ...config, maxPlayers: 60 });
  });
  expect(await readFile(join(data, 'config', 'templates', 'lobby.json'), 'utf8')).toContain(PASSWORD);
});

it('rejects the mask of a value that the master does not have', async () => {
  const data = temporaryFolder();
  await start(data);
  await withMaster(data, async (master) => {
    const created = await master.call('templates.create', { id: 'lobby', config: { environment: [shown] } });
    const config = { environment: [shown, { ...hidden, name: 'RCON_PASSWORD' }] };
    const arena = { id: 'arena', config: { environment: [hidden] } };
    const software = { software: 'practice-proxy', version: null, build: null } as const;
    const outcomes = await Promise.allSettled([
      master.call('templates.update', { id: 'lobby', config, basedOn: created.configRevision }),
      master.call('templates.create', arena),
      master.call('templates.createAll', { templates: [{ ...arena, software }], eula: true }),
    ]);
    const refused = { status: 'rejected', reason: { code: 'CONFIG_FAULTY' } };
    expect(outcomes).toMatchObject([refused, refused, refused]);
    const left = await master.call('templates.list', {});
    expect(left.map(({ id, config: { environment } }) => [id, environment])).toEqual([['lobby', [shown]]]);
  });
});

it('a plan preview does not tell viewers whether a guess of a hidden value is right', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_700, to: 27_709 });
  onTestFinished(() => master.shutDown());
  const { host, port, hostKey } = await master.start();
  const config = { ...SMALL, minimumRunningServers: 1, environment: [shown] };
  await master.call('templates.create', { id: 'lobby', config });
  await putJar(master, 'lobby');
  await serviceIn(master, 'RUNNING');
  /** Returns the number of services that a variable would make outdated, as the preview shows it to a person. */
  const previewFor = async (role: 'viewer' | 'operator') => {
    const person = makePerson(role);
    await master.call('keys.add', { name: role, role, publicKey: person.publicKey });
    const rpc = await openRpc(
      await connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, person),
    );
    return async (value: string): Promise<number> => {
      const edited = { ...config, environment: [{ ...shown, value }] };
      const template = { id: 'lobby', config: edited };
      const preview: PlanPreview = await rpc.sendRequest('plan.preview', { template });
      return preview.outdated.reduce((sum, { services }) => sum + services, 0);
    };
  };
  const operator = await previewFor('operator');
  const values = [PASSWORD, SECRET_MASK, 'hunter3'];
  expect(await Promise.all(values.map(operator))).toEqual([0, 0, 1]);
  const viewer = await previewFor('viewer');
  expect(await Promise.all(values.map(viewer))).toEqual([0, 0, 0]);
});
