import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Action } from '#master/core/action.ts';
import { NodeActions } from '#master/control/nodes/node-actions.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';

import { Topics } from '#master/state/feed/topics.ts';
import type { NodeInfo, NodeRegistry } from '#master/nodes/node.ts';
import { EventLog } from '#master/store/event-log.ts';
import { aRentedNode as aNodeInfo } from '#test/support/nodes/rented-node.ts';
import { aRentedNode } from '#test/support/master/snapshots.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ORDER: Action = {
  kind: 'order',
  node: 'node-1',
  type: 'cpx32',
  location: 'nbg1',
  ramMb: 7_168,
  cause: '85 % ≥ 80 %',
};
const RELEASE: Action = { kind: 'release', node: 'node-2', cause: 'empty' };

/** Snapshot without a node that is being released. */
const NOTHING_LEAVES = { nodes: [], configureMode: false };

async function aFleet(cloud: Pick<NodeRegistry, 'order' | 'release'> | null) {
  const folder = temporaryFolder();
  const events = await EventLog.open(join(folder, 'activity.jsonl'), Date.now);
  onTestFinished(() => events.close());
  const overrides = await Overrides.open(join(folder, 'holds.json'));
  const topics = new Topics();
  const told: string[] = [];
  topics.subscribe((stale) => told.push(...stale));
  let done = 0;
  const provider = { configure_mode: false };
  const config = { master: { config: { provider } } };
  const nodes: NodeInfo[] = [];
  const known = {
    ...{ config, overrides, events, topics, log: pino({ level: 'silent' }) },
    registry: { ...cloud, nodes: () => nodes },
  };
  // Contains only the dependencies that `NodeActions` uses.
  const fleet = new NodeActions(
    known as unknown as ConstructorParameters<typeof NodeActions>[0],
    () => (done += 1),
  );
  const log = (): string[] =>
    events
      .query({ limit: 20 })
      .map(({ kind, subject, message, cause }) => `${kind} ${subject.id}: ${message} (${cause})`);
  return { fleet, overrides, log, told, nodes, provider, done: () => done };
}

describe('NodeActions (performs the planned actions on nodes)', () => {
  it('stores and reports a drain that the rules begin, and lets the rules end this drain', async () => {
    const { fleet, overrides, log, told } = await aFleet(null);
    await fleet.carryOut(
      [
        { kind: 'drain', node: 'node-1', cause: 'not needed' },
        { kind: 'stop', service: 'lobby-1', cause: 'somebody else does this' },
      ],
      NOTHING_LEAVES,
    );
    expect(overrides.ofNode('node-1')).toMatchObject({ schedule: 'drain', byRules: true });
    await fleet.carryOut([{ kind: 'resume', node: 'node-1', cause: 'needed' }], NOTHING_LEAVES);
    expect(overrides.ofNode('node-1')).toMatchObject({ schedule: null, byRules: false });
    expect(log()).toEqual([
      'node.resumed node-1: node-1 accepts services again (needed)',
      expect.stringMatching(/^node\.draining node-1: .* \(not needed\)$/),
    ]);
    expect(told).toEqual(['nodes', 'nodes']);

    await overrides.changeNode('node-1', () => ({ locked: true }));
    await fleet.carryOut(
      [{ kind: 'drain', node: 'node-1', cause: 'decided before it was locked' }],
      NOTHING_LEAVES,
    );
    expect(overrides.ofNode('node-1')).toMatchObject({ schedule: null });
    expect(log()).toHaveLength(2);
  });

  it('ignores planned actions if configure mode was switched on after the plan', async () => {
    const asked: unknown[] = [];
    const { fleet, provider, overrides } = await aFleet({
      order: (order) => Promise.resolve(void asked.push(order)),
      release: (node, requester) => Promise.resolve(void asked.push(`${node}, by ${requester}`)),
    });
    provider.configure_mode = true;
    await fleet.carryOut(
      [ORDER, RELEASE, { kind: 'drain', node: 'node-3', cause: 'not needed' }],
      NOTHING_LEAVES,
    );
    await fleet.settled();
    expect(asked).toEqual([]);
    expect(overrides.ofNode('node-3').schedule).toBeNull();
    // In configure mode, a plan contains only releases that a person requested.
    await overrides.changeNode('node-2', () => ({ schedule: 'release' }));
    await fleet.carryOut([RELEASE], {
      nodes: [aRentedNode('node-2', { leaving: true })],
      configureMode: true,
    });
    await fleet.settled();
    expect(asked).toEqual(['node-2, by user']);
  });

  it('sends one order and one release per node, even if the next plan contains them again', async () => {
    const asked: unknown[] = [];
    const finish: (() => void)[] = [];
    const wait = (what: unknown): Promise<void> => {
      asked.push(what);
      return new Promise((resolve) => finish.push(resolve));
    };
    const { fleet, log, done } = await aFleet({ order: wait, release: wait });
    await fleet.carryOut([ORDER, RELEASE], NOTHING_LEAVES);
    await fleet.carryOut([ORDER, RELEASE], NOTHING_LEAVES);
    expect(asked).toEqual([{ node: 'node-1', type: 'cpx32', location: 'nbg1', ramMb: 7_168 }, 'node-2']);
    expect(log()).toEqual([]);
    for (const one of finish) one();
    await fleet.settled();
    expect(log()).toEqual([
      'node.released node-2: node-2 was released: its server is deleted at the provider (empty)',
      'node.ordered node-1: node-1 was ordered: cpx32 in nbg1 (85 % ≥ 80 %)',
    ]);
    expect(done()).toBe(2);
  });

  it.each([{ locked: true }, { held: true }])(
    'does not release a node that a person has protected or paused after the plan: %o',
    async (wish) => {
      const released: string[] = [];
      const release = (node: string): Promise<void> => {
        released.push(node);
        return Promise.resolve();
      };
      const { fleet, overrides, log } = await aFleet({ order: () => Promise.resolve(), release });
      await overrides.changeNode('node-2', () => wish);
      await fleet.carryOut([RELEASE], NOTHING_LEAVES);
      await fleet.settled();
      expect(released).toEqual([]);
      expect(log()).toEqual([]);
    },
  );

  it('does not release a node if a person has cancelled its release after the plan', async () => {
    const released: string[] = [];
    const release = (node: string): Promise<void> => {
      released.push(node);
      return Promise.resolve();
    };
    const { fleet, overrides } = await aFleet({ order: () => Promise.resolve(), release });
    const planned = {
      nodes: [aRentedNode('node-2', { state: 'DRAINING', leaving: true })],
      configureMode: false,
    };
    await fleet.carryOut([RELEASE], planned);
    await fleet.settled();
    expect(released).toEqual([]);
    await overrides.changeNode('node-2', () => ({ schedule: 'release' }));
    await fleet.carryOut([RELEASE], planned);
    await fleet.settled();
    expect(released).toEqual(['node-2']);
  });

  it.each([
    ['by the rules', false],
    ['by a person', true],
  ])(
    'does not perform a release that was planned %s if the lost node is reachable again',
    async (_who, leaving) => {
      const released: string[] = [];
      const release = (node: string): Promise<void> => {
        released.push(node);
        return Promise.resolve();
      };
      const { fleet, nodes, overrides } = await aFleet({ order: () => Promise.resolve(), release });
      const planned = { nodes: [aRentedNode('node-2', { state: 'LOST', leaving })], configureMode: false };
      if (leaving) await overrides.changeNode('node-2', () => ({ schedule: 'release' }));
      // The node may have players again, so it must be drained first.
      nodes[0] = aNodeInfo({ id: 'node-2', state: 'READY' });
      await fleet.carryOut([RELEASE], planned);
      await fleet.settled();
      expect(released).toEqual([]);
      nodes[0] = aNodeInfo({ id: 'node-2', state: 'LOST' });
      await fleet.carryOut([RELEASE], planned);
      await fleet.settled();
      expect(released).toEqual(['node-2']);
    },
  );

  it('reports an order that the provider has refused, and can repeat it later', async () => {
    let tries = 0;
    const order = (): Promise<void> => {
      tries += 1;
      return Promise.reject(new Error('the account is blocked'));
    };
    const { fleet, log } = await aFleet({ order, release: () => Promise.resolve() });
    await fleet.carryOut([ORDER], NOTHING_LEAVES);
    await fleet.settled();
    expect(log()).toEqual([
      expect.stringMatching(
        /^master\.trouble master: The attempt to order node-1 failed \(.*the account is blocked/,
      ),
    ]);
    await fleet.carryOut([ORDER], NOTHING_LEAVES);
    await fleet.settled();
    expect(tries).toBe(2);
  });
});
