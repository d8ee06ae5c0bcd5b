import { describe, expect, it } from 'vitest';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import { isPending, isReady } from '#master/core/snapshot/snapshot.ts';
import { plan } from '#master/core/plan.ts';
import { admissionOf } from '#master/ingress/accepts-players.ts';
import { knownPlayers } from '#master/ingress/presence.ts';
import type { Exit } from '#master/runtime/runtime.ts';
import { noteExit, noteFailure, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { aMaster, restarted, seenWith, type ObservingMaster } from '#test/support/master/observing-master.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival-1';
const NODE = 'node-1';
const WORLD = { persistentPaths: ['world/'] };
const UNREADABLE = new OverworldError('NODE_TOOL_FAILED', { node: NODE, what: 'read files', why: 'a test' });

/** Returns the service's process as its node reports it after the exit. */
function ended(exit: Pick<Exit, 'code' | 'signal'>, values = WORLD) {
  const { node, process } = seenWith(NODE, ID, values);
  return { node, process: { ...process, state: 'ended' as const, pid: null, exit } };
}

const CRASHED = ended({ code: 1, signal: null });
const CLOSED = ended({ code: 0, signal: null });

/** Creates a master with a running service that keeps files. Two players are on the service. */
async function aRunningService(values = WORLD) {
  const master = await aMaster(NODE);
  const record = master.placed(ID, NODE);
  master.world.answer = { players: { online: 2, max: 20 } };
  await master.look([seenWith(NODE, ID, values)]);
  await master.pinger.pingOne({ id: ID, host: '10.99.0.11', port: 25_565, proxyProtocol: false });
  await master.look([seenWith(NODE, ID, values)]);
  expect(record.state).toBe('IN_USE');
  return { ...master, record };
}

/** Observes the exited process in several rounds, each of which tries to complete its end. */
async function lookAgain({ look, tasks }: ObservingMaster, seen: typeof CRASHED): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await look([seen]);
    await tasks.of(ID);
  }
}

const failures = ({ told }: ObservingMaster): string[] =>
  told().filter((line) => /^service\.(failed|stopped)/.test(line));

const admission = (record: ServiceRecord) =>
  admissionOf(record, {
    node: { state: 'READY', silent: false },
    ping: null,
    isTemplateGoing: false,
    isUnlinked: false,
  });

const players = ({ records, world }: ObservingMaster): number | null =>
  knownPlayers({ records, link: noLink(), proxies: noProxies(), now: () => world.now });

describe('a service that has crashed, while its data cannot be saved,', () => {
  it('is closed, shows its failure once, and starts again only after its data is saved', async () => {
    const master = await aRunningService();
    const { record, world } = master;
    world.fault = UNREADABLE;
    await lookAgain(master, CRASHED);
    expect(record).toMatchObject({ node: NODE, state: 'REQUESTED', stopping: null, pid: null });
    expect(record).toMatchObject({ failure: { attempts: 1 }, failureLog: ['the last words'] });
    expect([admission(record), players(master)]).toEqual(['closed', 0]);
    expect(failures(master)).toEqual([expect.stringContaining('exit code 1')]);
    expect(master.events.query({ limit: 1, kinds: ['service.failed'] })[0]?.cause).toBe(
      'attempt 1; retried immediately, but not before its data is saved',
    );
    world.fault = null;
    await lookAgain(master, CRASHED);
    expect(record).toMatchObject({
      node: null,
      state: 'REQUESTED',
      failure: { attempts: 1 },
      hasEnded: false,
    });
    expect(failures(master)).toHaveLength(1);
    expect(master.retryAt('survival')).toBe(world.now);
  });

  it('is closed from the moment when its exit is observed, even while its node does not answer', async () => {
    const { record, world, look } = await aRunningService();
    world.stuck = NODE;
    await look([CRASHED]);
    expect(admission(record)).toBe('closed');
    await look([], [NODE]);
    expect(record).toMatchObject({ state: 'IN_USE', players: { online: 0 }, failure: null });
    world.stuck = '';
  });

  it('shows no second exit after a restart of the master, and then still starts again', async () => {
    const first = await aRunningService();
    first.world.fault = UNREADABLE;
    await lookAgain(first, CRASHED);
    await first.events.flushed();
    const next = await restarted(first);
    expect(players(next)).toBe(0);
    next.world.fault = UNREADABLE;
    await next.look([], [NODE]);
    expect(next.records.get(ID)).toMatchObject({ node: NODE, state: 'REQUESTED' });
    await lookAgain(next, CRASHED);
    next.world.fault = null;
    await lookAgain(next, CRASHED);
    expect(next.records.get(ID)).toMatchObject({ node: null, state: 'REQUESTED', failure: { attempts: 1 } });
    expect(failures(next)).toEqual([expect.stringContaining('service.failed')]);
  });

  it('stops for good if a person stops it', async () => {
    const master = await aRunningService();
    const { record, world } = master;
    world.fault = UNREADABLE;
    await lookAgain(master, CRASHED);
    record.stopping = { since: world.now, cause: 'requested by anna' };
    await lookAgain(master, CRASHED);
    expect(master.records.get(ID)).toBe(record);
    world.fault = null;
    await lookAgain(master, CRASHED);
    expect(master.records.all).toEqual([]);
    expect(failures(master)[0]).toBe('service.stopped: survival-1 has stopped (exit code 1)');
  });
});

it('a crash counts once, even if the files of the service cannot be removed for a while', async () => {
  const noPaths = { persistentPaths: [] };
  const master = await aRunningService(noPaths);
  const { record, world, done } = master;
  world.fault = UNREADABLE;
  await lookAgain(master, ended({ code: 1, signal: null }, noPaths));
  expect(done.filter((one) => one.startsWith('forget'))).toHaveLength(3);
  expect(record.failure?.attempts).toBe(1);
  expect(master.retryAt('survival')).toBe(world.now);
  expect(failures(master)).toHaveLength(1);
});

describe('a service that has exited by itself, while its data cannot be saved,', () => {
  it('stops, and its exit is counted and reported once', async () => {
    const master = await aRunningService();
    const { record, world } = master;
    world.fault = UNREADABLE;
    await lookAgain(master, CLOSED);
    expect(record).toMatchObject({ node: NODE, stopping: { cause: 'its server exited on its own' } });
    expect([admission(record), players(master)]).toEqual(['closed', 0]);
    expect(master.tasks.isUnsaved(record)).toBe(true);
    expect(failures(master)).toEqual([]);
    world.fault = null;
    await lookAgain(master, CLOSED);
    expect(master.records.all).toEqual([]);
    expect(failures(master)).toEqual(['service.stopped: survival-1 has stopped (exit code 0)']);
    expect(master.retryAt('survival')).toBe(world.now);
  });

  it('does not make the number of players unknown if it exited while no master was running', async () => {
    const master = await restarted(await aRunningService());
    expect(players(master)).toBeNull();
    master.world.fault = UNREADABLE;
    await lookAgain(master, CLOSED);
    const record = master.records.get(ID);
    expect(record?.stopping?.cause).toBe('it exited while no master was running');
    expect(players(master)).toBe(0);
  });
});

it.each<[what: string, change: Partial<ServiceRecord>, end: (record: ServiceRecord) => void]>([
  ['has just crashed', { state: 'RUNNING' }, noteExit],
  ['has crashed', { state: 'RUNNING' }, (record) => noteFailure(record, 9)],
  ['is paused and stops', { held: true, stopping: { since: 9, cause: 'x' } }, noteExit],
])('the rules neither count a service that %s as ready nor replace it', async (_what, change, end) => {
  const { parts } = await loopFixture(temporaryFolder(), { from: 26_575, to: 26_599 });
  await parts.config.createTemplate(
    'survival',
    templateConfigSchema.parse({ ...SMALL, ...WORLD, minimumRunningServers: 1 }),
  );
  const fields = { id: ID, template: 'survival', requestedAt: 1, cause: 'a test', manual: false };
  const record = parts.records.add(fields);
  const placed = startedFrom(serviceSpec({ id: ID, template: 'survival', ...WORLD }));
  Object.assign(record, { node: 'local', startedAt: 5, upAt: 6, placed, ...change });
  end(record);
  const snapshot = takeSnapshot(parts);
  const [service] = snapshot.services;
  expect(service === undefined ? null : [isReady(service), isPending(service)]).toEqual([false, true]);
  expect(service?.staysStopped).toBe(record.held);
  expect(plan(snapshot).actions).toEqual([]);
});
