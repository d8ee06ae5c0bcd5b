import { expect, it } from 'vitest';
import { HetznerStage } from '#test/support/nodes/hetzner-fixture.ts';

/**
 * Promise of design 6: killing the master at any instant orders nothing twice, and no machine is paid for and
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
  const stage = await HetznerStage.open({
    onRequest: ({ method }) => {
      if (method === 'GET' || died === null) return;
      changes += 1;
      if (changes !== instant) return;
      stage.kill();
      died();
      died = null;
    },
  });
  try {
    await stage.start();
    const life = (async () => {
      await stage.order();
      await stage.machines.remember('node-1', { readyAt: 1_795_000_000_000 });
      await stage.order({ node: 'node-2' });
      await stage.machines.release('node-1');
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
    await stage.stop();
    await life.catch(() => undefined);
    stage.fake.faults.clear();
    if (losesState) await stage.loseState();
    await stage.start();
    await expectInLine(stage);
    for (const { node } of stage.machines.all()) await stage.machines.release(node);
    await expectNothingLeft(stage);
    return { isOver: false };
  } finally {
    await stage.close();
  }
}

/** Each server is a known machine, each known machine a server, and no node has two. */
async function expectInLine(stage: HetznerStage): Promise<void> {
  stage.fake.clock.advance(60_000);
  await stage.until(() => {
    const settled = stage.machines.all().filter(({ state }) => state === 'on');
    const servers = stage.fake.servers().filter(({ status }) => status === 'running');
    return settled.length === stage.machines.all().length && servers.length === settled.length;
  }, 'machines and servers in line');
  const nodes = stage.fake.servers().map(({ labels }) => labels['overworld/node']);
  expect(nodes.toSorted()).toEqual(
    stage.machines
      .all()
      .map(({ node }) => node)
      .toSorted(),
  );
  const ordered = stage.fake.everOrdered().map(({ labels }) => labels['overworld/node']);
  expect(new Set(ordered).size).toBe(ordered.length);
}

async function expectNothingLeft(stage: HetznerStage): Promise<void> {
  const { world } = stage.fake;
  await stage.until(
    () => stage.fake.servers().length + world.firewalls.size + world.primaryIps.size === 0,
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
