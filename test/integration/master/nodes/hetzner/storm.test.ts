import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultKind } from '#test/fake/hetzner/http/faults.ts';
import { HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

/** Failures that networks and gateways cause. */
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

/** Share of requests that fail (percent). */
const FAULT_PERCENT = 30;

/** Creates a random number generator that returns the same numbers for the same seed. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

async function weather(seed: number): Promise<void> {
  const fixture = await HetznerFixture.open();
  const roll = dice(seed);
  try {
    await fixture.start();
    fixture.fake.faults.choose(() =>
      roll() * 100 < FAULT_PERCENT ? kinds[Math.floor(roll() * kinds.length)] : undefined,
    );
    const nodes = ['node-1', 'node-2', 'node-3'];
    // Each order may fail. Only the resulting state matters.
    await Promise.allSettled(nodes.map((node) => fixture.order({ node })));
    await Promise.allSettled([fixture.machines.release('node-2', 'rules')]);
    await fixture.stop();
    if (roll() < 0.5) await fixture.loseState();
    await fixture.start({ wait: false });
    await Promise.allSettled([fixture.machines.remember('node-3', { readyAt: 1_795_000_000_000 })]);
    fixture.fake.faults.clear();
    fixture.fake.clock.advance(120_000);
    await fixture.until(() => {
      const machines = fixture.machines.all().map(({ node, state }) => `${node} ${state}`);
      const servers = fixture.fake.servers().map(({ labels }) => `${labels['overworld/node'] ?? ''} on`);
      return fixture.machines.listed() && machines.toSorted().join() === servers.toSorted().join();
    }, 'machines and servers in line');
    const ordered = fixture.fake.everOrdered().map(({ labels }) => labels['overworld/node']);
    expect(new Set(ordered).size).toBe(ordered.length);
    for (const { node } of fixture.machines.all()) await fixture.machines.release(node, 'rules');
    const { world } = fixture.fake;
    await fixture.until(() => fixture.fake.servers().length + world.firewalls.size === 0, 'nothing left');
  } finally {
    await fixture.close();
  }
}

it('the master orders no server twice and forgets no server while a third of all requests fail', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 }), weather), {
    numRuns: 12,
    endOnFailure: true,
  });
});
