import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Loop } from '#master/control/loop/loop.ts';
import { RollingRestarts } from '#master/control/services/rolling-restarts.ts';
import { currentSetup } from '#master/ingress/service-setup.ts';
import { startFrom } from '#master/state/services/started-from.ts';
import type { EventKind } from '#shared/model/event.ts';
import type { Service } from '#shared/model/service.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { randomInstant } from '#test/support/random-instant.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of kills in this run. The nightly run sets a higher number. */
const KILLS = Math.ceil(Number(process.env['OVERWORLD_KILLS'] ?? 10) / 4);

async function aMaster(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 24 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const config = { ...SMALL, minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 };
  await master.call('templates.create', { id: 'lobby', config });
  await putJar(master, 'lobby');
  return master;
}

async function find(master: MasterProcess, id: string): Promise<Service | undefined> {
  return (await servicesOf(master)).find((service) => service.id === id);
}

async function until(master: MasterProcess, id: string, is: (service: Service) => boolean): Promise<Service> {
  return waitFor(
    async () => {
      const service = await find(master, id);
      return service !== undefined && is(service) ? service : null;
    },
    { what: `${id} as wanted` },
  );
}

async function gone(master: MasterProcess, id: string): Promise<void> {
  await waitFor(async () => (await find(master, id)) === undefined, { what: `${id} gone` });
}

async function told(master: MasterProcess, subject: string, kinds: EventKind[]): Promise<string[]> {
  const events = await master.call('activity.list', { limit: 500, subject, kinds });
  return events.map(({ kind, actor }) => `${kind} ${actor}`).reverse();
}

describe('a service that a person restarts', () => {
  it('keeps its id and its pause, gets the latest settings, and is not replaced during the restart', async () => {
    const master = await aMaster(26_800);
    const before = await serviceIn(master, 'RUNNING');
    const { id } = before;
    expect(before).toMatchObject({ outdated: [], retiring: null });
    await setConfig(master, 'lobby', { maxPlayers: 5, killUnusedTooManyServersAfter: 600_000 });
    await until(master, id, ({ outdated }) => outdated.join() === 'maxPlayers');
    await master.call('services.hold', { id, held: true });
    await master.call('services.restart', { id, kill: false });
    const after = await until(master, id, ({ state, pid }) => state === 'RUNNING' && pid !== before.pid);
    expect(after).toMatchObject({ outdated: [], stopping: null, held: true });
    await until(master, id, ({ players }) => players.max === 5);
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
    expect(await told(master, id, ['service.requested', 'service.restarting', 'service.stopped'])).toEqual([
      'service.requested overworld',
      'service.restarting local',
      'service.stopped overworld',
    ]);
  });

  it('starts again even if it is not needed and its template is paused', async () => {
    const master = await aMaster(26_825);
    const { id, pid } = await serviceIn(master, 'RUNNING');
    await setConfig(master, 'lobby', { minimumRunningServers: 0 });
    await master.call('templates.hold', { id: 'lobby', held: true });
    await master.call('services.restart', { id, kill: true });
    await until(master, id, (service) => service.state === 'RUNNING' && service.pid !== pid);
  });

  it('does not start again if a person stops it during the restart', async () => {
    const master = await aMaster(26_850);
    const { id } = await serviceIn(master, 'RUNNING');
    await master.call('services.command', { id, line: 'hang' });
    await master.call('services.restart', { id, kill: false });
    await until(master, id, ({ stopping }) => stopping?.restart === true);
    // During its restart, the service counts as starting, so it is not replaced.
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
    await master.call('services.stop', { id, kill: true });
    await gone(master, id);
    const next = await serviceIn(master, 'RUNNING');
    expect(next.id).not.toBe(id);

    await master.call('services.hold', { id: next.id, held: true });
    await master.call('services.stop', { id: next.id, kill: true });
    await until(master, next.id, ({ state, stopping }) => state === 'REQUESTED' && stopping === null);
    await expect(master.call('services.restart', { id: next.id, kill: false })).rejects.toMatchObject({
      code: 'SERVICE_NOT_STARTED',
    });
  });

  it(`is neither lost nor started twice if the master is killed during the restart (${KILLS} kills)`, async () => {
    const master = await aMaster(26_875);
    let { id, pid } = await serviceIn(master, 'RUNNING');
    for (let kill = 1; kill <= KILLS; kill++) {
      await master.call('services.restart', { id, kill: kill % 2 === 0 });
      const instantMs = await randomInstant(600);
      await master.kill();
      await master.start();
      const before = pid;
      const says = `kill ${kill}, ${instantMs} ms after the restart was asked for`;
      const again = await waitFor(
        async () => {
          const service = await find(master, id);
          return service?.state === 'RUNNING' && service.stopping === null && service.pid !== before
            ? service
            : null;
        },
        { what: `${id} running again: ${says}` },
      );
      ({ id, pid } = again);
      expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
      expect(await jvmsOf(master.data), says).toEqual(new Map([[id, [pid]]]));
    }
    expect(await told(master, id, ['service.requested'])).toHaveLength(1);
  });
});

describe('a rolling restart', () => {
  it('starts new services before it stops old services, and lets players stay on the old services', async () => {
    const master = await aMaster(26_900);
    const first = await serviceIn(master, 'RUNNING');
    const player = await joinAsPlayer({ port: first.address?.port ?? 0, username: 'Stayer' });
    await until(master, first.id, ({ state }) => state === 'IN_USE');
    const spare = await serviceIn(master, 'RUNNING');
    await setConfig(master, 'lobby', { maxPlayers: 6 });
    await until(master, spare.id, ({ outdated }) => outdated.length > 0);

    const { services } = await master.call('templates.restart', { id: 'lobby', which: 'outdated' });
    expect(services).toEqual([first.id, spare.id]);
    expect(await master.call('templates.restart', { id: 'lobby', which: 'outdated' })).toEqual({
      services: [],
    });
    const readyCounts: number[] = [];
    await waitFor(
      async () => {
        const all = await servicesOf(master);
        readyCounts.push(
          all.filter(({ state, stopping }) => state === 'RUNNING' && stopping === null).length,
        );
        return all.every(({ id }) => id !== spare.id);
      },
      { what: 'the spare replaced' },
    );
    expect(Math.min(...readyCounts)).toBe(1);
    expect(await serviceIn(master, 'RUNNING')).toMatchObject({ outdated: [], retiring: null });
    expect(await find(master, first.id)).toMatchObject({ state: 'IN_USE', outdated: ['maxPlayers'] });

    await master.kill();
    await master.start();
    const kept = await until(master, first.id, ({ state }) => state === 'IN_USE');
    expect(kept.retiring?.cause).toBe('requested by local');
    expect(kept.outdated).toEqual(['maxPlayers']);
    await player.stay();
    await player.leave();
    await gone(master, first.id);
    expect((await servicesOf(master)).map(({ state, outdated }) => [state, outdated])).toEqual([
      ['RUNNING', []],
    ]);
  });

  it('stops an old service only after its replacement has not crashed for a while', async () => {
    const master = await aMaster(27_100);
    const { id } = await serviceIn(master, 'RUNNING');
    await master.call('templates.restart', { id: 'lobby', which: 'all' });
    const isNew = (service: Service): boolean => service.id !== id && service.state === 'RUNNING';
    const next = await waitFor(async () => (await servicesOf(master)).find(isNew));
    process.kill(next.pid ?? 0, 'SIGKILL');
    await until(master, next.id, ({ failure }) => failure !== null);
    expect(await find(master, id)).toMatchObject({ state: 'RUNNING', stopping: null });
    await gone(master, id);
    expect(await find(master, next.id)).toMatchObject({ state: 'RUNNING', retiring: null });
  });

  it('replaces services that have become outdated since the last round of the control loop', async () => {
    const { parts } = await loopFixture(temporaryFolder(), { from: 27_075, to: 27_099 });
    await parts.config.createTemplate('lobby', SMALL);
    await parts.templates.create('lobby');
    const { config } = parts.config.template('lobby');
    const setup = currentSetup('lobby', config, parts);
    const asked = { template: 'lobby', requestedAt: 1, cause: 'a test', manual: false };
    for (const id of ['lobby-1', 'lobby-2']) parts.records.add({ ...asked, id });
    const [older, current] = parts.records.all;
    const start = { node: 'local', state: 'RUNNING' } as const;
    Object.assign(older ?? {}, start, { placed: startFrom({ ...config, maxPlayers: 9 }, 'a', setup) });
    Object.assign(current ?? {}, start, { placed: startFrom(config, 'a', setup) });
    // The new loop has not run a round yet.
    const loop = new Loop(parts);
    onTestFinished(() => loop.close());
    expect(await new RollingRestarts(parts, loop).roll('lobby', 'outdated', 'ana')).toEqual(['lobby-1']);
  });

  it('can be cancelled for services that were not replaced yet', async () => {
    const master = await aMaster(26_925);
    const { id, address } = await serviceIn(master, 'RUNNING');
    const player = await joinAsPlayer({ port: address?.port ?? 0, username: 'Stayer' });
    await until(master, id, ({ state }) => state === 'IN_USE');
    const { services } = await master.call('templates.restart', { id: 'lobby', which: 'all' });
    expect(services).toContain(id);
    expect((await master.call('templates.restart', { id: 'lobby', which: 'none' })).services).toContain(id);
    await until(master, id, ({ retiring }) => retiring === null);
    await player.leave();
    await until(master, id, ({ state }) => state === 'RUNNING');
    expect(await told(master, id, ['service.retiring', 'service.staying'])).toEqual([
      'service.retiring local',
      'service.staying local',
    ]);
  });
});

describe('a template whose deletion waits for the drain of its services', () => {
  it('gets no new services, and is removed once players have left its last service', async () => {
    const master = await aMaster(26_950);
    const first = await serviceIn(master, 'RUNNING');
    const player = await joinAsPlayer({ port: first.address?.port ?? 0, username: 'Stayer' });
    await until(master, first.id, ({ state }) => state === 'IN_USE');
    const spare = await serviceIn(master, 'RUNNING');
    await master.call('templates.delete', { id: 'lobby', services: 'drain' });
    const leaving = { code: 'TEMPLATE_LEAVING' };
    await expect(master.call('services.start', { template: 'lobby' })).rejects.toMatchObject(leaving);
    await expect(master.call('services.restart', { id: first.id, kill: true })).rejects.toMatchObject(
      leaving,
    );
    await gone(master, spare.id);

    await master.kill();
    await master.start();
    const [template] = await master.call('templates.list', {});
    expect(template?.leaving?.cause).toBe('requested by local');
    await until(master, first.id, ({ state }) => state === 'IN_USE');
    expect(await servicesOf(master)).toHaveLength(1);
    await player.leave();
    await waitFor(async () => (await master.call('templates.list', {})).length === 0, {
      what: 'the template gone',
    });
    await expect(access(join(master.data, 'templates', 'lobby'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(access(join(master.data, 'config', 'templates', 'lobby.json'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await told(master, 'lobby', ['template.leaving', 'template.deleted'])).toEqual([
      'template.leaving local',
      'template.deleted overworld',
    ]);
    // A new template of the same name is not affected by the earlier deletion.
    await master.call('templates.create', { id: 'lobby', config: SMALL });
    expect((await master.call('templates.list', {}))[0]).toMatchObject({ id: 'lobby', leaving: null });
  });

  it('is kept with its services if the deletion is cancelled', async () => {
    const master = await aMaster(26_975);
    const first = await serviceIn(master, 'RUNNING');
    const player = await joinAsPlayer({ port: first.address?.port ?? 0, username: 'Stayer' });
    await until(master, first.id, ({ state }) => state === 'IN_USE');
    await master.call('templates.delete', { id: 'lobby', services: 'drain' });
    await waitFor(async () => (await servicesOf(master)).length === 1);
    await master.call('templates.cancelDelete', { id: 'lobby' });
    expect((await serviceIn(master, 'RUNNING')).id).not.toBe(first.id);
    await player.leave();
    await until(master, first.id, ({ state }) => state === 'RUNNING');
  });
});

it('a template whose file is missing for a short time keeps its pause and its services', async () => {
  const master = await aMaster(27_000);
  const first = await serviceIn(master, 'RUNNING');
  const player = await joinAsPlayer({ port: first.address?.port ?? 0, username: 'Stayer' });
  await until(master, first.id, ({ state }) => state === 'IN_USE');
  const spare = await serviceIn(master, 'RUNNING');
  await master.call('templates.hold', { id: 'lobby', held: true });
  const path = join(master.data, 'config', 'templates', 'lobby.json');
  await rename(path, `${path}.away`);
  await waitFor(async () => (await master.call('templates.list', {})).length === 0);
  // Wait for a whole round of the control loop without the file, so that all reactions to the missing file have
  // happened.
  await master.call('services.hold', { id: first.id, held: true });
  await waitFor(async () => (await find(master, first.id))?.held);
  await rename(`${path}.away`, path);
  const template = await waitFor(async () => (await master.call('templates.list', {})).at(0));
  expect(template.held).toBe(true);
  expect(await find(master, spare.id)).toMatchObject({ state: 'RUNNING', stopping: null });
  await player.leave();
});
