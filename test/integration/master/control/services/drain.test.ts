import { expect, it, onTestFinished } from 'vitest';
import type { Node } from '#shared/model/node.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

async function aMaster(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 24 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...SMALL, minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 },
  });
  await putJar(master, 'lobby');
  return master;
}

async function theNode(master: MasterProcess): Promise<Node | undefined> {
  return (await master.call('nodes.list', {}))[0];
}

async function states(master: MasterProcess): Promise<string[]> {
  return (await servicesOf(master)).map(({ id, state }) => `${id} ${state}`);
}

it('a draining node becomes empty when its players leave, and gets services again when it is resumed', async () => {
  const master = await aMaster(26_525);
  const { address } = await serviceIn(master, 'RUNNING');
  const player = await joinAsPlayer({ port: address?.port ?? 0, username: 'Alex' });
  await serviceIn(master, 'IN_USE');
  // This spare service runs in addition to the service with players.
  await waitFor(async () => (await states(master)).includes('lobby-2 RUNNING'));

  await master.call('nodes.schedule', { id: 'local', to: 'drain' });
  await master.call('nodes.schedule', { id: 'local', to: 'drain' });
  expect(await theNode(master)).toMatchObject({ state: 'DRAINING', rental: null, keep: null });
  const waiting = await waitFor(async () =>
    (await servicesOf(master)).find(({ state }) => state === 'REQUESTED'),
  );
  expect(waiting.id).toBe('lobby-3');
  const shown = await waitFor(
    async () => (await servicesOf(master)).find(({ id }) => id === 'lobby-3')?.waiting,
  );
  expect(shown).toMatchObject({ reason: 'NO_NODE' });
  expect(shown.message).toContain('local is being drained');

  await master.kill();
  await master.start();
  expect(await theNode(master)).toMatchObject({ state: 'DRAINING' });
  await serviceIn(master, 'IN_USE');
  await player.leave();
  // One service stays until its replacement is ready, because the minimum still applies.
  await waitFor(async () => /^lobby-[12] RUNNING,lobby-3 REQUESTED$/.test((await states(master)).join()), {
    what: 'all but the minimum gone',
  });
  await setConfig(master, 'lobby', { minimumRunningServers: 0 });
  await waitFor(async () => (await servicesOf(master)).length === 0, { what: 'an empty node' });
  expect(await theNode(master)).toMatchObject({ state: 'DRAINING', services: 0, ram: { allocatedMb: 0 } });

  await setConfig(master, 'lobby', { minimumRunningServers: 1 });
  await master.call('nodes.schedule', { id: 'local', to: 'resume' });
  expect(await theNode(master)).toMatchObject({ state: 'READY' });
  await serviceIn(master, 'RUNNING');
  const events = await master.call('activity.list', { limit: 10, subject: 'local' });
  expect(events.map(({ kind, actor, cause }) => `${kind} ${actor}: ${cause}`)).toEqual([
    'node.resumed local: requested by local',
    'node.draining local: requested by local',
  ]);
});

it('a cordoned node keeps its services, and gets no new services until it is resumed', async () => {
  const master = await aMaster(26_550);
  const { id, pid } = await serviceIn(master, 'RUNNING');
  await master.call('nodes.schedule', { id: 'local', to: 'cordon' });
  const asked = await master.call('services.start', { template: 'lobby' });
  const wait = await waitFor(async () => (await servicesOf(master)).find((s) => s.id === asked.id)?.waiting);
  expect(wait.reason).toBe('NO_NODE');
  expect(wait.message).toContain('local accepts no new services');
  expect((await servicesOf(master)).find((s) => s.id === id)).toMatchObject({ state: 'RUNNING', pid });

  await master.call('nodes.lock', { id: 'local', locked: true });
  await master.call('nodes.hold', { id: 'local', held: true });
  expect(await theNode(master)).toMatchObject({ state: 'CORDONED', held: true, locked: true });
  await master.call('nodes.schedule', { id: 'local', to: 'resume' });
  await master.call('nodes.lock', { id: 'local', locked: false });
  await master.kill();
  await master.start();
  expect(await theNode(master)).toMatchObject({ state: 'READY', held: true, locked: false });
  // The automation of the node is still paused, so the rules place no service on it.
  expect(await states(master)).toContain(`${asked.id} REQUESTED`);
  await master.call('nodes.hold', { id: 'local', held: false });
  await waitFor(async () => (await states(master)).includes(`${asked.id} RUNNING`));

  const unknown = { code: 'NODE_NOT_FOUND', details: { node: 'node-9' } };
  await expect(master.call('nodes.hold', { id: 'node-9', held: true })).rejects.toMatchObject(unknown);
  await expect(master.call('nodes.lock', { id: 'node-9', locked: true })).rejects.toMatchObject(unknown);
  await expect(master.call('nodes.schedule', { id: 'node-9', to: 'drain' })).rejects.toMatchObject(unknown);
});
