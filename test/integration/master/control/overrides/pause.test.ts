import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

async function aMaster(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 24 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

/**
 * Creates a template that needs one service, and returns this service once it runs. The rules stop services that are
 * not needed after a short time.
 */
async function aLobby(master: MasterProcess, config: object = {}): Promise<Service> {
  const whole = { ...SMALL, minimumRunningServers: 1, killUnusedTooManyServersAfter: 300, ...config };
  await master.call('templates.create', { id: 'lobby', config: whole });
  await putJar(master, 'lobby');
  return serviceIn(master, 'RUNNING');
}

async function find(master: MasterProcess, id: string): Promise<Service | undefined> {
  return (await servicesOf(master)).find((service) => service.id === id);
}

async function isWaitingHeld(master: MasterProcess, id: string): Promise<Service> {
  return waitFor(
    async () => {
      const service = await find(master, id);
      return service?.state === 'REQUESTED' && service.waiting?.reason === 'HELD' ? service : null;
    },
    { what: `${id} waiting because it is held` },
  );
}

/** Returns the oldest event of this kind about this subject. */
async function told(
  master: MasterProcess,
  subject: string,
  kind: 'service.stopped' | 'service.held' | 'template.held',
) {
  return (await master.call('activity.list', { limit: 100, subject, kinds: [kind] })).at(-1);
}

/** Waits for several rounds of the control loop: starts another service of the template, and stops it. */
async function rounds(master: MasterProcess, template: string): Promise<void> {
  const { id } = await master.call('services.start', { template });
  await waitFor(async () => (await find(master, id))?.state === 'RUNNING');
  await master.call('services.stop', { id, kill: true });
  await waitFor(async () => (await find(master, id)) === undefined);
}

describe('a paused service', () => {
  it('is not stopped by the rules, and is not replaced after a person has stopped it', async () => {
    const master = await aMaster(26_400);
    const { id } = await aLobby(master);
    await master.call('services.hold', { id, held: true });
    await master.call('services.hold', { id, held: true });
    expect(await told(master, id, 'service.held')).toMatchObject({ actor: 'local' });

    // The service is no longer needed. `killUnusedTooManyServersAfter` is over before the other service has started
    // and stopped.
    await setConfig(master, 'lobby', { minimumRunningServers: 0 });
    await rounds(master, 'lobby');
    expect(await find(master, id)).toMatchObject({ state: 'RUNNING', held: true });

    await setConfig(master, 'lobby', { minimumRunningServers: 1 });
    await master.call('services.stop', { id, kill: false });
    const stopped = await isWaitingHeld(master, id);
    expect(stopped).toMatchObject({ node: null, address: null, pid: null, stopping: null, held: true });
    expect((await told(master, id, 'service.stopped'))?.message).toContain(
      'its automation is paused, so it is not replaced',
    );
    expect(await jvmsOf(master.data)).toEqual(new Map());
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);

    await master.call('services.hold', { id, held: false });
    expect(await serviceIn(master, 'RUNNING')).toMatchObject({ id, held: false });
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
  });

  it('stays in the list as REQUESTED after an exit or crash until a person stops it', async () => {
    const master = await aMaster(26_425);
    const { id } = await aLobby(master, { killUnusedTooManyServersAfter: -1 });
    await master.call('services.hold', { id, held: true });
    await master.call('services.command', { id, line: 'stop' });
    await isWaitingHeld(master, id);

    await master.call('services.hold', { id, held: false });
    await serviceIn(master, 'RUNNING');
    await master.call('services.hold', { id, held: true });
    await master.call('services.command', { id, line: 'crash' });
    const crashed = await isWaitingHeld(master, id);
    expect(crashed.failure?.error.code).toBe('SERVICE_EXITED');

    await setConfig(master, 'lobby', { minimumRunningServers: 0 });
    await master.call('services.stop', { id, kill: false });
    await waitFor(async () => (await servicesOf(master)).length === 0);
  });

  it('stays paused when the master is killed or stops all services', async () => {
    const master = await aMaster(26_450);
    const { id } = await aLobby(master);
    await master.call('services.hold', { id, held: true });
    await master.call('services.command', { id, line: 'hang' });
    await master.call('services.stop', { id, kill: false });
    await master.kill();
    await master.start();
    expect(await find(master, id)).toMatchObject({ held: true, stopping: { cause: 'requested by local' } });
    await master.call('services.stop', { id, kill: true });
    await isWaitingHeld(master, id);

    await master.shutDown();
    await master.start();
    await isWaitingHeld(master, id);
    expect((await servicesOf(master)).map((service) => service.id)).toEqual([id]);
    await setConfig(master, 'lobby', { minimumRunningServers: 0 });
    // After the pause, the service is not needed, so the rules withdraw its request.
    await master.call('services.hold', { id, held: false });
    await waitFor(async () => (await servicesOf(master)).length === 0);
  });
});

describe('a paused template', () => {
  it('gets no new services from the rules, and reports why services are missing', async () => {
    const master = await aMaster(26_475);
    const { id } = await aLobby(master);
    await master.call('templates.hold', { id: 'lobby', held: true });
    expect(await told(master, 'lobby', 'template.held')).toMatchObject({ actor: 'local' });
    await setConfig(master, 'lobby', { minimumRunningServers: 2 });
    const lacking = await waitFor(async () => (await master.call('templates.list', {}))[0]?.unmet);
    expect(lacking).toMatchObject({ missing: 1, wait: { reason: 'HELD' } });

    // Services that a person requests still start.
    const asked = await master.call('services.start', { template: 'lobby' });
    await waitFor(async () => (await find(master, asked.id))?.state === 'RUNNING');
    await master.kill();
    await master.start();
    expect(await master.call('templates.list', {})).toMatchObject([{ id: 'lobby', held: true }]);
    await waitFor(async () => (await find(master, id))?.state === 'RUNNING');

    await master.call('services.hold', { id, held: true });
    await master.call('templates.delete', { id: 'lobby', services: 'stop' });
    await waitFor(async () => (await servicesOf(master)).length === 0, {
      what: 'all its services gone, held or not',
    });
    await master.call('templates.create', { id: 'lobby', config: SMALL });
    expect(await master.call('templates.list', {})).toMatchObject([{ id: 'lobby', held: false }]);
  });
});

it('a service that a person has started does not start again after a crash while its template is paused', async () => {
  const master = await aMaster(26_475);
  const { id: first } = await aLobby(master, { killUnusedTooManyServersAfter: -1 });
  await master.call('templates.hold', { id: 'lobby', held: true });
  const { id } = await master.call('services.start', { template: 'lobby' });
  const running = async (): Promise<Service | null> => {
    const service = await find(master, id);
    return service?.state === 'RUNNING' ? service : null;
  };
  const { pid } = await waitFor(running);
  // A restart that a person requests still starts the service.
  await master.call('services.restart', { id, kill: true });
  await waitFor(async () => ((await running())?.pid ?? pid) !== pid);
  await master.call('services.command', { id, line: 'crash' });
  await isWaitingHeld(master, id);

  await master.kill();
  await master.start();
  await isWaitingHeld(master, id);
  expect((await servicesOf(master)).map((service) => service.id)).toEqual([first, id]);
  await master.call('templates.hold', { id: 'lobby', held: false });
  await waitFor(running);
});

it('a service from an older version without pauses is not paused', async () => {
  const master = await aMaster(26_500);
  const { id, pid } = await aLobby(master, { killUnusedTooManyServersAfter: -1 });
  await master.kill();
  const path = join(master.data, 'state', 'services.json');
  const records = JSON.parse(await readFile(path, 'utf8')) as { services: { held?: boolean }[] };
  for (const service of records.services) delete service.held;
  await writeFile(path, JSON.stringify(records));
  await master.start();
  const adopted = await waitFor(async () => {
    const service = await find(master, id);
    return service?.state === 'RUNNING' ? service : null;
  });
  expect(adopted).toMatchObject({ pid, held: false });
});
