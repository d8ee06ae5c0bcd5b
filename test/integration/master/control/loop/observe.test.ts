import { describe, expect, it } from 'vitest';
import { backToRequested, isUnconfirmed } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { serviceIdOf, serviceIdSchema } from '#shared/model/service.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { aMaster, aMasterWithState, seenOn } from '#test/support/master/observing-master.ts';

describe('the control loop, if a node is unreachable,', () => {
  it('keeps the services of this node, and treats all of them as STARTING', async () => {
    const { look, placed, records } = await aMaster('node-1');
    const running = placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1')]);
    const restored = placed('lobby-2', 'node-1');
    await look([], ['node-1']);
    expect(running).toMatchObject({ node: 'node-1', state: 'STARTING', pid: 77 });
    expect(restored).toMatchObject({ node: 'node-1', state: 'STARTING', pid: null });
    expect(records.all).toHaveLength(2);
    // Players may be on services that have not answered this master. So no rule stops these services or treats them
    // as empty.
    expect([running, restored].map(isUnconfirmed)).toEqual([true, true]);
  });

  it('does not report a service of this node as unresponsive', async () => {
    const { world, look, placed, pinger } = await aMaster('node-1');
    const record = placed('lobby-1', 'node-1');
    record.state = 'RUNNING';
    record.startedAt = 5;
    const ping = (): Promise<boolean> =>
      pinger.pingOne({ id: 'lobby-1', host: '10.99.0.11', port: 25_565, proxyProtocol: false });
    await ping();
    world.now += 70_000;
    await look([], ['node-1']);
    expect(record).toMatchObject({ state: 'RUNNING', unresponsive: false });
    await ping();
    await look([seenOn('node-1', 'lobby-1')]);
    expect(record.unresponsive).toBe(false);
    world.now += 60_000;
    await ping();
    await look([seenOn('node-1', 'lobby-1')]);
    expect(record.unresponsive).toBe(true);
  });

  it('keeps the services of a node that the provider adds to its list during the observation', async () => {
    const { world, look, placed } = await aMaster('node-1', 'node-2');
    const record = placed('lobby-1', 'node-2');
    await look([seenOn('node-2', 'lobby-1')]);
    // The provider adds this node to its list while the other nodes are being observed.
    world.late = ['node-2'];
    await look([]);
    expect(record).toMatchObject({ node: 'node-2', state: 'STARTING', pid: 77 });
  });

  it('requests services of this node again only after the provider has removed it from its list', async () => {
    const { world, look, placed, told } = await aMaster('node-1');
    const record = placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1')]);
    world.nodes = [];
    world.listed = false;
    await look([]);
    expect(record.node).toBe('node-1');
    world.listed = true;
    await look([]);
    expect(record).toMatchObject({ node: null, state: 'REQUESTED' });
    expect(told()[0]).toBe('service.failed: lobby-1 no longer exists on node-1');
  });
});

describe('the control loop, after the connection to a node broke during the start of a service,', () => {
  const begun = async () => {
    const master = await aMaster('node-1');
    const record = master.placed('lobby-1', 'node-1');
    const placed = startedFrom(seenOn('node-1', 'lobby-1').process.spec);
    Object.assign(record, { state: 'STARTING', since: 900_000, placed });
    return { ...master, record };
  };

  it('counts the exit of its process as a failed start', async () => {
    const { look, tasks, told, retryAt } = await begun();
    const ended = seenOn('node-1', 'lobby-1', 'ended');
    await look([{ ...ended, process: { ...ended.process, exit: { code: 1, signal: null } } }]);
    await tasks.of('lobby-1');
    expect(told()[0]).toMatch(/^service\.failed: /);
    expect(retryAt('lobby')).not.toBeNull();
  });

  it('removes its prepared folder before the service may start on another node', async () => {
    const { world, look, tasks, done, record } = await begun();
    world.stuck = 'node-1';
    await look([]);
    expect(done).toEqual(['forget lobby-1 on node-1']);
    expect(record).toMatchObject({ node: 'node-1', state: 'STARTING' });
    world.stuck = '';
    await tasks.of('lobby-1');
    expect(record).toMatchObject({ node: null, wasOn: 'node-1', state: 'REQUESTED' });
  });

  it('requests the service again even if its prepared folder cannot be removed', async () => {
    const { world, look, tasks, record } = await begun();
    world.fault = new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'a test' });
    await look([]);
    await tasks.of('lobby-1');
    expect(record).toMatchObject({ node: null, state: 'REQUESTED' });
  });

  it('does not report that the service was taken over', async () => {
    const { look, told, record } = await begun();
    await look([seenOn('node-1', 'lobby-1')]);
    expect(record).toMatchObject({ state: 'STARTING', pid: 77, startedAt: 5, adoptedAt: null });
    expect(told()).toEqual([]);
  });
});

describe('the control loop, after a node was restarted,', () => {
  it('reports that the services of this node have stopped, and starts new services without a delay', async () => {
    const { look, placed, records, told, retryAt } = await aMaster('node-1');
    placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1')]);
    const ended = seenOn('node-1', 'lobby-1', 'ended');
    const exit = { code: null, signal: 'SIGTERM', why: 'node-restarted' } as const;
    await look([{ ...ended, process: { ...ended.process, exit } }]);
    expect(records.all).toEqual([]);
    expect(told()[0]).toBe('service.stopped: lobby-1 has stopped (its node restarted)');
    expect(retryAt('lobby')).toBeNull();
  });
});

describe('the control loop, if it finds an unexpected process,', () => {
  it('adopts a process without a record', async () => {
    const { look, records } = await aMaster('node-1', 'node-2');
    await look([seenOn('node-2', 'lobby-7')]);
    expect(records.get('lobby-7')).toMatchObject({ node: 'node-2', state: 'STARTING', pid: 77 });
    expect(records.nextNumber('lobby')).toBe(8);
  });

  it('stops a second process of a service on another node', async () => {
    const { look, placed, records, done } = await aMaster('node-1', 'node-2');
    placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1'), seenOn('node-2', 'lobby-1')]);
    expect(done).toEqual(['stop lobby-1 on node-2', 'forget lobby-1 on node-2']);
    expect(records.get('lobby-1')).toMatchObject({ node: 'node-1', pid: 77 });
  });

  it('adopts the process of a service that was requested before the first observation', async () => {
    const { look, placed, records, done } = await aMaster('node-1');
    placed('lobby-1', null);
    await look([seenOn('node-1', 'lobby-1')]);
    expect(done).toEqual([]);
    expect(records.get('lobby-1')).toMatchObject({ node: 'node-1', state: 'STARTING', pid: 77 });
  });

  it('keeps one of several processes of a service without a record, and stops the others', async () => {
    const { look, records, done } = await aMaster('node-1', 'node-2');
    await look([seenOn('node-1', 'lobby-1'), seenOn('node-2', 'lobby-1')]);
    expect(done).toEqual(['stop lobby-1 on node-2', 'forget lobby-1 on node-2']);
    expect(records.all.map(({ node }) => node)).toEqual(['node-1']);
  });

  it('stops a second process of a service even if the node of the first process is unreachable', async () => {
    const { look, placed, done } = await aMaster('node-1', 'node-2');
    placed('lobby-1', 'node-1');
    await look([seenOn('node-2', 'lobby-1')], ['node-1']);
    expect(done).toEqual(['stop lobby-1 on node-2', 'forget lobby-1 on node-2']);
  });

  it('removes the files of services that have exited, and does not request these services again', async () => {
    const { look, placed, records, done } = await aMaster('node-1', 'node-2');
    placed('lobby-2', null);
    await look([seenOn('node-1', 'lobby-1', 'ended'), seenOn('node-2', 'lobby-2', 'ended')]);
    expect(done).toEqual(['forget lobby-1 on node-1', 'forget lobby-2 on node-2']);
    expect(records.all.map(({ id, node }) => [id, node])).toEqual([['lobby-2', null]]);
  });

  it('does not adopt a service whose number is so high that no higher numbers remain', async () => {
    const { look, records, done } = await aMaster('node-1');
    await look([seenOn('node-1', 'lobby-9999999999')]);
    expect(records.all).toEqual([]);
    expect(done).toEqual(['stop lobby-9999999999 on node-1', 'forget lobby-9999999999 on node-1']);
    expect(serviceIdSchema.safeParse(serviceIdOf('lobby', records.nextNumber('lobby'))).success).toBe(true);
  });

  it('still observes all other services if one service causes an error', async () => {
    const { look, placed, records } = await aMaster('node-1');
    const stuck = placed('lobby-1', 'node-1');
    Object.defineProperty(stuck, 'startedAt', {
      get: () => {
        throw new Error('stuck');
      },
    });
    placed('lobby-2', 'node-1');
    await look([seenOn('node-1', 'lobby-1'), seenOn('node-1', 'lobby-2')]);
    expect(records.get('lobby-2')).toMatchObject({ pid: 77 });
  });
});

describe('the control loop, when it observes nodes and services,', () => {
  it('stops the process of a REQUESTED service on each node except the node that ran the service last', async () => {
    const { look, placed, records, done } = await aMasterWithState('node-1', 'node-2');
    placed('lobby-1', null);
    const moved = placed('lobby-2', 'node-1');
    backToRequested(moved, 5);
    await look([seenOn('node-2', 'lobby-1'), seenOn('node-2', 'lobby-2')]);
    expect(records.all.map(({ id, node, state }) => `${id} ${node} ${state}`)).toEqual([
      'lobby-1 null REQUESTED',
      'lobby-2 null REQUESTED',
    ]);
    expect(done).toContain('stop lobby-1 on node-2');
    expect(done).toContain('stop lobby-2 on node-2');
  });

  it('keeps a service on a lost node if the node returns before the service has started on another node', async () => {
    const { world, look, placed } = await aMaster('node-1');
    const record = placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1')]);
    world.nodes = [];
    await look([]);
    expect(record.node).toBeNull();
    world.nodes = ['node-1'];
    await look([seenOn('node-1', 'lobby-1')]);
    expect(record).toMatchObject({ node: 'node-1', pid: 77 });
  });

  it('removes the record of an exited service even if the node does not remove its files', async () => {
    const { world, look, placed, records, done } = await aMaster('node-1');
    placed('lobby-1', 'node-1');
    await look([seenOn('node-1', 'lobby-1')]);
    world.stuck = 'node-1';
    const ended = seenOn('node-1', 'lobby-1', 'ended');
    const exit = { code: null, signal: 'SIGTERM', why: 'node-restarted' } as const;
    await look([{ ...ended, process: { ...ended.process, exit } }]);
    expect(records.all).toEqual([]);
    expect(done).toEqual(['forget lobby-1 on node-1']);
  });

  it('updates the process id of a service, because the first process may be a shell', async () => {
    const { look, placed } = await aMaster('node-1');
    const record = placed('lobby-1', 'node-1');
    const sight = seenOn('node-1', 'lobby-1');
    await look([sight]);
    await look([{ ...sight, process: { ...sight.process, pid: 78 } }]);
    expect(record).toMatchObject({ state: 'STARTING', pid: 78 });
  });

  it('reports a failed service after its log was read, and does not delay other services meanwhile', async () => {
    const { world, look, placed, done, told, tasks } = await aMaster('node-1', 'node-2');
    const [failed, other] = [placed('lobby-1', 'node-1'), placed('lobby-2', 'node-2')];
    await look([seenOn('node-1', 'lobby-1')]);
    world.stuck = 'node-1';
    const sights = [seenOn('node-1', 'lobby-1', 'ended'), seenOn('node-2', 'lobby-2')];
    await look(sights);
    await look(sights);
    expect(other).toMatchObject({ state: 'STARTING', pid: 77 });
    expect(failed).toMatchObject({ node: 'node-1', failure: null });
    expect(done).toEqual(['lines of lobby-1 on node-1']);
    world.stuck = '';
    await tasks.of('lobby-1');
    expect(failed).toMatchObject({ node: null, state: 'REQUESTED', failureLog: ['the last words'] });
    expect(failed.failure).toMatchObject({ attempts: 1, error: { code: 'SERVICE_EXITED' } });
    expect(done.at(-1)).toBe('forget lobby-1 on node-1');
    expect(told().filter((line) => line.startsWith('service.failed'))).toHaveLength(1);
  });

  it('sends a single stop to a service that exceeds its start timeout, and does not wait for its exit', async () => {
    const { world, look, placed, done, told, tasks } = await aMaster('node-1', 'node-2');
    const overdue = placed('lobby-1', 'node-1');
    const sight = seenOn('node-1', 'lobby-1');
    await look([sight]);
    for (let second = 0; second < 300; second += 1) {
      world.now += 1_000;
      await look([sight]);
    }
    expect(done).toEqual([]);
    world.stuck = 'node-1';
    world.now += 1;
    await look([sight]);
    await look([seenOn('node-1', 'lobby-1', 'ended')]);
    expect(done).toEqual(['stop lobby-1 on node-1']);
    expect(overdue.node).toBe('node-1');
    world.stuck = '';
    await tasks.of('lobby-1');
    expect(overdue).toMatchObject({ node: null, failureLog: ['the last words'] });
    expect(overdue.failure?.error.code).toBe('SERVICE_START_TIMEOUT');
    expect(told().filter((line) => line.startsWith('service.failed'))).toHaveLength(1);
  });

  it('does not count the time during which the machine slept as part of a start', async () => {
    const { world, look, placed, done } = await aMaster('node-1');
    const record = placed('lobby-1', 'node-1');
    const sight = seenOn('node-1', 'lobby-1');
    await look([sight]);
    world.now += 7_200_000;
    await look([sight]);
    for (let second = 0; second < 280; second += 1) {
      world.now += 1_000;
      await look([sight]);
    }
    expect(done).toEqual([]);
    expect(record).toMatchObject({ state: 'STARTING', failure: null });
  });

  it('if the machine slept late in a start, stops the service only after another minute without log lines', async () => {
    const { world, look, placed, done, tasks } = await aMaster('node-1');
    placed('lobby-1', 'node-1');
    const sight = seenOn('node-1', 'lobby-1');
    const watch = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        world.now += 1_000;
        await look([sight]);
      }
    };
    await look([sight]);
    await watch(299);
    world.now += 7_200_000;
    await watch(60);
    expect(done).toEqual([]);
    await watch(1);
    await tasks.of('lobby-1');
    expect(done[0]).toBe('stop lobby-1 on node-1');
  });

  it('waits only briefly for a node that does not stop a process, and does not repeat the request', async () => {
    const { world, look, placed, done, told } = await aMaster('node-1', 'node-2');
    placed('lobby-1', 'node-1');
    world.stuck = 'node-2';
    const claims = [seenOn('node-2', 'lobby-1'), seenOn('node-2', 'lobby-9', 'ended')];
    await look([seenOn('node-1', 'lobby-1'), ...claims]);
    await look([seenOn('node-1', 'lobby-1'), ...claims]);
    expect(done).toEqual(['stop lobby-1 on node-2', 'forget lobby-9 on node-2']);
    expect(told().filter((line) => line.includes('also runs on node-2'))).toHaveLength(1);
  });
});

describe('the control loop, with volumes from an older backup,', () => {
  const service = 'survival-1';

  /** Creates a master without stored state. The volume was in use on node-1 when the backup was made. */
  async function aRestoredMaster(...nodes: string[]) {
    const master = await aMaster(...nodes);
    const volume = await master.volumes.make(service);
    await volume.attach(service, 'node-1', true);
    master.world.now += 380_000;
    return { ...master, volume };
  }

  it('attaches a volume to the node on which its service is running now', async () => {
    const { look, volume, told, records } = await aRestoredMaster('node-1', 'node-2');
    await look([seenOn('node-2', service)]);
    expect(records.get(service)).toMatchObject({ node: 'node-2', pid: 77 });
    // The saves from node-2 become the newest saves. The earlier master may have asked the server to stop writing its
    // worlds, so `paused` is set.
    expect(volume.attachment).toMatchObject({ service, node: 'node-2', started: true, paused: true });
    expect(told().filter((line) => line.startsWith('volume.'))).toEqual([]);
  });

  it('attaches a volume to no other node while the node in the backup does not answer', async () => {
    const { look, volume, records } = await aRestoredMaster('node-1', 'node-2');
    await look([seenOn('node-2', service)], ['node-1']);
    expect(records.get(service)).toMatchObject({ node: 'node-2', pid: 77 });
    expect(volume.attachment?.node).toBe('node-1');
    await look([seenOn('node-2', service)]);
    expect(volume.attachment?.node).toBe('node-2');
  });

  it('detaches a volume if its node has no files of the service, and reports the possible loss', async () => {
    const { look, volume, told } = await aRestoredMaster('node-1', 'node-2');
    // The service may run on a node that has not answered this master yet.
    await look([], ['node-2']);
    expect(volume.attachment?.node).toBe('node-1');
    await look([]);
    expect(volume.attachment).toBeNull();
    expect(told()).toEqual([
      'volume.lost: survival-1 lost up to 6 min 20 s of data: what was written since its last save',
    ]);
  });

  it('detaches a volume from a deleted node only after the provider has confirmed the deletion', async () => {
    const { world, look, volume, told } = await aRestoredMaster('node-2');
    world.listed = false;
    await look([]);
    expect(volume.attachment?.node).toBe('node-1');
    world.listed = true;
    await look([]);
    expect(volume.attachment).toBeNull();
    expect(told()[0]).toContain('volume.lost: survival-1 lost');
  });

  it.each(['alive', 'ended'] as const)(
    'keeps a volume attached to a node on which its service is %s',
    async (state) => {
      const { look, volume, world } = await aRestoredMaster('node-1', 'node-2');
      // The request to this node stays in progress during the whole test.
      world.stuck = 'node-1';
      await look([seenOn('node-1', service, state)]);
      await look([seenOn('node-1', service, state)]);
      expect(volume.attachment?.node).toBe('node-1');
    },
  );
});
