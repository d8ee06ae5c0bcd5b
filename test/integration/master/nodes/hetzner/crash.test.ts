import { expect, it } from 'vitest';
import { HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

/**
 * Outcome of one run. The test verifies docs/adr/0018: if the master is killed, it orders no server twice, and
 * forgets no server that costs money. It kills the master directly after each change at the provider, before the
 * master has received the answer.
 */
interface Outcome {
  /** Whether the run finished before the change with the number `instant`. */
  readonly isOver: boolean;
}

/**
 * Orders nodes, marks one as ready and releases it. Kills the master after the change with the number `instant` at
 * the provider.
 */
async function liveAndDie(instant: number, losesState: boolean): Promise<Outcome> {
  let changes = 0;
  let died: (() => void) | null = null;
  const death = new Promise<void>((resolve) => (died = resolve));
  const fixture = await HetznerFixture.open({
    onRequest: ({ method }) => {
      if (method === 'GET' || died === null) return;
      changes += 1;
      if (changes !== instant) return;
      fixture.kill();
      died();
      died = null;
    },
  });
  try {
    await fixture.start();
    const life = (async () => {
      await fixture.order();
      await fixture.machines.remember('node-1', { readyAt: 1_795_000_000_000 });
      await fixture.order({ node: 'node-2' });
      await fixture.machines.release('node-1', 'rules');
    })();
    const end = await Promise.race([
      life.then(
        () => 'over',
        () => 'killed',
      ),
      death.then(() => 'killed'),
    ]);
    if (end === 'over') return { isOver: true };
    await death;
    await fixture.stop();
    await life.catch(() => undefined);
    fixture.fake.faults.clear();
    if (losesState) await fixture.loseState();
    await fixture.start();
    await expectInLine(fixture);
    for (const { node } of fixture.machines.all()) await fixture.machines.release(node, 'rules');
    await expectNothingLeft(fixture);
    return { isOver: false };
  } finally {
    await fixture.close();
  }
}

/** Verifies that servers and known nodes correspond, and that no node has two servers. */
async function expectInLine(fixture: HetznerFixture): Promise<void> {
  fixture.fake.clock.advance(60_000);
  await fixture.until(() => {
    const settled = fixture.machines.all().filter(({ state }) => state === 'on');
    const servers = fixture.fake.servers().filter(({ status }) => status === 'running');
    return settled.length === fixture.machines.all().length && servers.length === settled.length;
  }, 'machines and servers in line');
  const nodes = fixture.fake.servers().map(({ labels }) => labels['overworld/node']);
  expect(nodes.toSorted()).toEqual(
    fixture.machines
      .all()
      .map(({ node }) => node)
      .toSorted(),
  );
  const ordered = fixture.fake.everOrdered().map(({ labels }) => labels['overworld/node']);
  expect(new Set(ordered).size).toBe(ordered.length);
}

async function expectNothingLeft(fixture: HetznerFixture): Promise<void> {
  const { world } = fixture.fake;
  await fixture.until(
    () => fixture.fake.servers().length + world.firewalls.size + world.primaryIps.size === 0,
    'nothing that is paid for',
  );
}

it.each([
  ['its local state', false],
  ['no local state', true],
])(
  'a master that is killed after a change at the provider finds all servers again if it restarts with %s',
  async (_, losesState) => {
    let instant = 1;
    while (!(await liveAndDie(instant, losesState)).isOver) instant += 1;
    // The changes are: firewall, two orders, labels of their IPs and servers, rules, deletion. If a run had fewer
    // changes, the test would prove nothing.
    expect(instant).toBeGreaterThan(9);
  },
);
