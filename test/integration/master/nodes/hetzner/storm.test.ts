import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultKind } from '#test/fake/hetzner/faults.ts';
import { HetznerStage } from '#test/support/nodes/hetzner-fixture.ts';

/** What goes wrong in networks and gateways, in no order. */
const kinds: readonly FaultKind[] = [
  { kind: 'cut' },
  { kind: 'answer lost' },
  { kind: 'bad gateway' },
  { kind: 'bad gateway', after: true },
  { kind: 'empty 500', after: true },
  { kind: 'unreadable' },
  { kind: 'refuse', status: 429, code: 'rate_limit_exceeded' },
  { kind: 'refuse', status: 409, code: 'conflict' },
];

/** Share of requests that fail, percent. */
const FAULT_PERCENT = 30;

/** A small generator of numbers that gives the same for the same seed. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

async function weather(seed: number): Promise<void> {
  const stage = await HetznerStage.open();
  const roll = dice(seed);
  try {
    await stage.start();
    stage.fake.faults.choose(() =>
      roll() * 100 < FAULT_PERCENT ? kinds[Math.floor(roll() * kinds.length)] : undefined,
    );
    const nodes = ['node-1', 'node-2', 'node-3'];
    // Each may fail for the weather: what counts is what is left.
    await Promise.allSettled(nodes.map((node) => stage.order({ node })));
    await Promise.allSettled([stage.machines.release('node-2')]);
    await stage.stop();
    if (roll() < 0.5) await stage.loseState();
    await stage.start({ wait: false });
    await Promise.allSettled([stage.machines.remember('node-3', { readyAt: 1_795_000_000_000 })]);
    stage.fake.faults.clear();
    stage.fake.clock.advance(120_000);
    await stage.until(() => {
      const machines = stage.machines.all().map(({ node, state }) => `${node} ${state}`);
      const servers = stage.fake.servers().map(({ labels }) => `${labels['overworld/node'] ?? ''} on`);
      return stage.machines.listed() && machines.toSorted().join() === servers.toSorted().join();
    }, 'machines and servers in line');
    const ordered = stage.fake.everOrdered().map(({ labels }) => labels['overworld/node']);
    expect(new Set(ordered).size).toBe(ordered.length);
    for (const { node } of stage.machines.all()) await stage.machines.release(node);
    const { world } = stage.fake;
    await stage.until(() => stage.fake.servers().length + world.firewalls.size === 0, 'nothing left');
  } finally {
    await stage.close();
  }
}

it('orders nothing twice and forgets nothing while a third of all requests fail', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 }), weather), {
    numRuns: 12,
    endOnFailure: true,
  });
});
