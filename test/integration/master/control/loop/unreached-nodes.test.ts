import { describe, expect, it } from 'vitest';
import { isUnconfirmed } from '#master/state/services/records.ts';
import { timeLimitsOf } from '#master/state/services/time-limits.ts';
import { pingTargetOf } from '#master/state/pings/pinger.ts';
import { aMaster, restarted, seenOn, seenWith } from '#test/support/master/observing-master.ts';

describe('the control loop, if a node has been unreachable since the master was restarted,', () => {
  it('pings the services of this node at their last known addresses, and reports their players', async () => {
    const first = await aMaster('node-1');
    first.placed('lobby-1', 'node-1');
    await first.look([seenOn('node-1', 'lobby-1')]);
    const { world, look, records, pinger, events } = await restarted(first);
    const record = records.get('lobby-1');
    await look([], ['node-1']);
    expect(record).toMatchObject({ state: 'STARTING', players: { online: 0, max: 20 } });
    const target = record === undefined ? null : pingTargetOf(record);
    expect(target).toEqual({ id: 'lobby-1', host: '10.99.0.11', port: 25_565, proxyProtocol: false });
    const answer = async (online: number): Promise<void> => {
      world.answer = { players: { online, max: 20 } };
      if (target !== null) await pinger.pingOne(target);
      await look([], ['node-1']);
    };
    await answer(0);
    const [event] = events.query({ limit: 1 });
    expect(event).toMatchObject({ kind: 'service.running', cause: 'it answered after the takeover' });
    await answer(3);
    expect(record).toMatchObject({ state: 'IN_USE', players: { online: 3 }, node: 'node-1' });
  });

  it('uses what the node reports about a service once the node answers', async () => {
    const first = await aMaster('node-1');
    first.placed('lobby-1', 'node-1');
    await first.look([seenOn('node-1', 'lobby-1')]);
    const { world, look, records, pinger } = await restarted(first);
    const record = records.get('lobby-1');
    world.answer = { players: { online: 3, max: 20 } };
    await pinger.pingOne({ id: 'lobby-1', host: '10.99.0.11', port: 25_565, proxyProtocol: false });
    await look([], ['node-1']);
    world.now += 60_000;
    const { node, process } = seenWith('node-1', 'lobby-1', { isProxy: true });
    await look([{ node, process: { ...process, host: '10.99.0.12', port: 25_566 } }]);
    expect(record).toMatchObject({
      address: { host: '10.99.0.12', port: 25_566 },
      placed: { values: { isProxy: true, java: 'auto' } },
    });
    // The service has not answered at the new address yet, but players may be on it.
    expect(record === undefined || isUnconfirmed(record)).toBe(true);
  });

  it('forgets the last known address of a service that the node does not have', async () => {
    const first = await aMaster('node-1');
    first.placed('lobby-1', 'node-1');
    await first.look([seenOn('node-1', 'lobby-1')]);
    const { look, records } = await restarted(first);
    await look([], ['node-1']);
    await look([]);
    expect(records.get('lobby-1')).toMatchObject({ node: null, address: null, placed: null });
  });
});

it('a service that stops keeps the stop timeout of its deleted template over a restart of the master', async () => {
  const first = await aMaster('node-1');
  const timeLimits = { startTimeoutMs: 60_000, stopGraceMs: 300_000 };
  Object.assign(first.placed('survival-1', 'node-1'), {
    timeLimits,
    stopping: { since: 1, cause: 'a test' },
  });
  const { records } = await restarted(first);
  const record = records.get('survival-1');
  const config = { templates: new Map() } as never;
  expect(record === undefined ? null : timeLimitsOf(record, { config })).toEqual(timeLimits);
});
