import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import { withMaster } from '#master/cli/client.ts';
import { startMaster, type RunningMaster } from '#master/boot/daemon.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Start timeout (s), shorter than the service's age when the master restarts. */
const START_TIMEOUT_S = 4;

const LOBBY = {
  isProxy: false,
  minJvmMemory: 16,
  maxJvmMemory: 64,
  minimumRunningServers: 1,
  startTimeout: START_TIMEOUT_S,
  stopTimeout: 1,
};

function start(data: string): Promise<RunningMaster> {
  return startMaster({
    data,
    sshHost: '127.0.0.1',
    sshPort: 0,
    ports: { from: 26_512, to: 26_524 },
    log: pino({ level: 'silent' }),
    limits: { startQuietMs: 1_000 },
  });
}

async function running(data: string): Promise<Service> {
  const services = (): Promise<readonly Service[]> =>
    withMaster(data, async (master) => (await master.call('services.list', {})).services);
  return waitFor(async () => (await services()).find(({ state }) => state === 'RUNNING'));
}

async function aLobby(): Promise<{ data: string; before: Service; restart: () => Promise<void> }> {
  const data = temporaryFolder();
  let master = await start(data);
  onTestFinished(async () => {
    await withMaster(data, (last) => last.call('master.shutdown', { services: 'stop' }));
    await master.ended;
  });
  await withMaster(data, (first) => first.call('templates.create', { id: 'lobby', config: LOBBY }));
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  const before = await running(data);
  const restart = async (): Promise<void> => {
    await master.close();
    // This pause makes the service older. It does not wait for a condition.
    await pause(START_TIMEOUT_S * 1_000);
    master = await start(data);
  };
  return { data, before, restart };
}

it('a service that is older than the start timeout is adopted after a restart of the master, and does not time out', async () => {
  const { data, before, restart } = await aLobby();
  await restart();
  expect(await running(data)).toMatchObject({ id: before.id, pid: before.pid, failure: null });
});

it('after a restart of the master, a node in the same state keeps the time at which this state began', async () => {
  const { data, restart } = await aLobby();
  const node = (): Promise<Node | undefined> =>
    withMaster(data, async (master) => (await master.call('nodes.list', {}))[0]);
  await withMaster(data, (master) => master.call('nodes.schedule', { id: 'local', to: 'cordon' }));
  // Until the restarted master has observed the state, it reports the current time as the state's start time.
  const before = await waitFor(async () => {
    const [first, second] = [await node(), await node()];
    return second?.state === 'CORDONED' && first?.since === second.since ? second : null;
  });
  await restart();
  await running(data);
  expect(await node()).toMatchObject({ state: 'CORDONED', since: before.since });
});

it('after a restart of the master, a service in the same state keeps the time at which this state began', async () => {
  const { data, before, restart } = await aLobby();
  await restart();
  const { id, since, unusedSince } = await running(data);
  expect({ since, unusedSince }).toEqual({ since: before.since, unusedSince: before.unusedSince });
  const events = await withMaster(data, (master) => master.call('activity.list', { limit: 2, subject: id }));
  expect(events.map(({ kind, cause }) => `${kind}: ${cause}`)).toEqual([
    'service.running: it answered after the takeover',
    'service.adopted: the master started',
  ]);
});

it('after a restart of the master, no rule stops a service that has not answered yet', async () => {
  const { data, before, restart } = await aLobby();
  const { id } = before;
  await withMaster(data, (master) => master.call('services.command', { id, line: 'hang' }));
  await restart();
  await withMaster(data, async (master) => {
    const [template] = await master.call('templates.list', {});
    const config = { ...LOBBY, minimumRunningServers: 0, maximumOnlineServers: 0 };
    await master.call('templates.update', { id: 'lobby', config, basedOn: template?.configRevision ?? '' });
    await waitFor(async () => (await master.call('services.list', {})).services.length === 0);
    const events = await master.call('activity.list', { limit: 4, subject: id });
    const told = events.reverse().map(({ kind }) => kind);
    expect(told).toEqual(['service.adopted', 'service.failed', 'service.stopping', 'service.stopped']);
    expect(events[1]?.message).toContain('did not answer a status ping within 4 s');
  });
});
