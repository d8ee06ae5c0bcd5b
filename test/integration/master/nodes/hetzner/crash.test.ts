import { expect, it } from 'vitest';
import { HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

/**
 * Promise of docs/adr/0018: killing the master at any instant orders nothing twice, and no machine is paid for and
 * forgotten. The instants are all at which the provider has just changed something and the master does not know it yet.
 */
interface Outcome {
  /** Whether the flow was over before the instant came. */
  readonly isOver: boolean;
}

/** Orders, makes ready and releases, with a kill after the `instant`-th change at the provider's. */
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
      await fixture.machines.release('node-1');
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
    for (const { node } of fixture.machines.all()) await fixture.machines.release(node);
    await expectNothingLeft(fixture);
    return { isOver: false };
  } finally {
    await fixture.close();
  }
}

/** Each server is a known machine, each known machine a server, and no node has two. */
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
  ['its state folder', false],
  ['an empty state folder', true],
])(
  'a master that is killed after any change at the provider’s finds all of it again with %s',
  async (_, losesState) => {
    let instant = 1;
    while (!(await liveAndDie(instant, losesState)).isOver) instant += 1;
    // Firewall, two orders, their IPs' and their own labels, rules, deletion: fewer would mean that nothing was tried.
    expect(instant).toBeGreaterThan(9);
  },
);
