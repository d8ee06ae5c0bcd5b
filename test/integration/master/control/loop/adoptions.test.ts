import { describe, expect, it } from 'vitest';
import { aMaster, aMasterWithState, restarted, seenOn } from '#test/support/master/observing-master.ts';

describe('the control loop, if nodes report services that the master has not placed there,', () => {
  it('with stored state, adopts no unknown services, and reports them in one event', async () => {
    const { look, records, done, told } = await aMasterWithState('node-1');
    const claims = Array.from({ length: 50 }, (_, i) => seenOn('node-1', `lobby-${i + 1}`));
    await look(claims);
    await look(claims);
    expect(records.all).toEqual([]);
    expect(records.nextNumber('lobby')).toBe(10);
    expect(done).toContain('stop lobby-50 on node-1');
    expect(told()).toHaveLength(1);
    expect(told()[0]).toContain('node-1 runs lobby-1, which this master has not placed there');
  });

  it('without stored state, adopts services only from the first answer of each node that was known at the start', async () => {
    const { world, look, records, adoptions } = await aMaster('node-1', 'node-2');
    expect(adoptions.whereIs('lobby-2', 'node-1')).toBe('here');
    await look([seenOn('node-1', 'lobby-1')], ['node-2']);
    world.nodes = ['node-1', 'node-2', 'node-3'];
    const later = [seenOn('node-1', 'lobby-2'), seenOn('node-2', 'lobby-3'), seenOn('node-3', 'lobby-4')];
    await look([seenOn('node-1', 'lobby-1'), ...later]);
    expect(records.all.map(({ id, node }) => `${id} ${node}`)).toEqual(['lobby-1 node-1', 'lobby-3 node-2']);
    expect(adoptions.whereIs('lobby-1', 'node-1')).toBe('here');
    expect(adoptions.whereIs('lobby-1', 'node-2')).toBe('elsewhere');
    expect(adoptions.whereIs('lobby-9', 'node-2')).toBe('nowhere');
  });

  it('without stored state, also adopts services of nodes that answer only after a further restart', async () => {
    const first = await aMaster('node-1', 'node-2');
    await first.look([seenOn('node-1', 'lobby-1')], ['node-2']);
    const { world, look, records, adoptions, done } = await restarted(first);
    world.nodes = ['node-1', 'node-2', 'node-3'];
    const later = [seenOn('node-1', 'lobby-2'), seenOn('node-2', 'lobby-3'), seenOn('node-3', 'lobby-4')];
    await look([seenOn('node-1', 'lobby-1'), ...later]);
    expect(records.all.map(({ id, node }) => `${id} ${node}`)).toEqual(['lobby-1 node-1', 'lobby-3 node-2']);
    expect(done.filter((what) => what.startsWith('stop'))).toEqual([
      'stop lobby-2 on node-1',
      'stop lobby-4 on node-3',
    ]);
    expect(adoptions.whereIs('lobby-9', 'node-2')).toBe('nowhere');
  });

  it('trusts no further answer after a restart once each node has answered or no longer exists', async () => {
    const first = await aMaster('node-1', 'node-2', 'node-3');
    await first.look([seenOn('node-1', 'lobby-1')], ['node-2', 'node-3']);
    first.world.nodes = ['node-1', 'node-2'];
    await first.look([seenOn('node-1', 'lobby-1'), seenOn('node-2', 'lobby-2')]);
    // Later, the nodes may be unknown for a while, for example after an edit of the API token.
    first.world.listed = false;
    await first.look([seenOn('node-1', 'lobby-1'), seenOn('node-2', 'lobby-2')]);
    const { look, records, done } = await restarted(first);
    expect(records.isRecovering).toBe(false);
    await look([seenOn('node-1', 'lobby-1'), seenOn('node-2', 'lobby-2'), seenOn('node-2', 'lobby-3')]);
    expect(records.all.map(({ id }) => id)).toEqual(['lobby-1', 'lobby-2']);
    expect(done).toContain('stop lobby-3 on node-2');
  });

  it('does not move a recorded service to another node that reports the service', async () => {
    const { look, placed, records } = await aMaster('node-1', 'node-2');
    placed('lobby-1', 'node-2');
    await look([seenOn('node-1', 'lobby-1')], ['node-2']);
    expect(records.get('lobby-1')?.node).toBe('node-2');
  });
});
