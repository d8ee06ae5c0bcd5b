import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { findSection } from '#master/balancer/config/marked-part.ts';
import { join, type TestClient } from '#test/support/haproxy/client.ts';
import { testProxy, type TestProxy } from '#test/support/haproxy/proxy.ts';
import { debianConfig } from '#test/support/haproxy/debian.ts';
import { HAPROXY, haproxyFixture, type HaproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { waitFor } from '#test/support/wait-for.ts';

const CHANGES = runs({ change: 300, night: 1_000 });
const PROXIES = 6;
/**
 * Maximum time of the test (ms). 1,000 changes take half a minute on an idle machine, and several minutes on a busy
 * machine.
 */
const TIMEOUT_MS = 480_000;
/** The admin's own part of the file, before and after Overworld's section. */
const BEFORE = '\n# Pl\u00e4tze\nbackend web\n\tserver s1   127.0.0.1:1\n';
const AFTER = '\nbackend other\n\tserver s1 127.0.0.1:2\n';

/** One change, made by an admin or by the scaling rules. `which` is the number of a proxy. */
type Change =
  | { readonly kind: 'open' | 'drain' | 'remove'; readonly which: number }
  | { readonly kind: 'addition'; readonly text: string };

const changes = fc.array(
  fc.oneof(
    {
      weight: 60,
      arbitrary: fc.record({
        kind: fc.constantFrom<'open' | 'drain' | 'remove'>('open', 'open', 'drain', 'remove'),
        which: fc.integer({ min: 0, max: PROXIES - 1 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant<'addition'>('addition'),
        text: fc.constantFrom('send-proxy', 'send-proxy-v2', 'send-proxy weight 7', 'send-proxi'),
      }),
    },
  ),
  { minLength: CHANGES, maxLength: CHANGES },
);

/** The wanted proxies, changed one step at a time. At least one proxy stays open, so that players can join. */
class DesiredEntries {
  readonly #proxies: readonly TestProxy[];
  readonly #fixture: HaproxyFixture;
  readonly states: ('open' | 'drain' | 'remove')[];

  constructor(fixture: HaproxyFixture, proxies: readonly TestProxy[]) {
    this.#fixture = fixture;
    this.#proxies = proxies;
    this.states = proxies.map(() => 'open');
  }

  get entries(): WantedEntry[] {
    return this.#proxies.flatMap((proxy, index) =>
      this.states[index] === 'remove' ? [] : [proxy.entry({ open: this.states[index] === 'open' })],
    );
  }

  make(change: Change): void {
    if (change.kind === 'addition') this.#fixture.addition = change.text;
    else {
      const others = this.states.some((state, index) => state === 'open' && index !== change.which);
      if (change.kind === 'open' || others) this.states[change.which] = change.kind;
    }
  }
}

/** Simulates players who join and leave continuously, and some players who stay connected during the whole test. */
class Load {
  readonly #port: number;
  readonly held: TestClient[] = [];
  joined = 0;
  echoes = 0;
  readonly failures: string[] = [];
  #isOver = false;
  readonly #work: Promise<void>[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async start(): Promise<void> {
    for (let i = 0; i < 12; i += 1) this.held.push(await join(this.#port));
    for (let i = 0; i < 3; i += 1) this.#work.push(this.#comeAndGo());
    this.#work.push(this.#hold());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  async #comeAndGo(): Promise<void> {
    while (!this.#isOver) {
      try {
        const client = await join(this.#port);
        this.joined += 1;
        await client.echo('hello');
        client.leave();
        await new Promise((resolve) => setTimeout(resolve, 5));
      } catch (error) {
        this.failures.push(`refused: ${String(error)}`);
      }
    }
  }

  async #hold(): Promise<void> {
    while (!this.#isOver) {
      for (const client of this.held) {
        try {
          await client.echo('still here');
          this.echoes += 1;
        } catch (error) {
          this.failures.push(`dropped: ${String(error)}`);
          this.held.splice(this.held.indexOf(client), 1);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe.skipIf(HAPROXY === null)(`${CHANGES} changes of proxies while players join`, () => {
  it(
    'never disconnect or refuse a player, and HAProxy has exactly the requested proxies afterwards',
    async () => {
      const fixture = await haproxyFixture();
      const before = `${debianConfig(fixture.folder)}${BEFORE}`;
      await fixture.write(before);
      await fixture.start();
      const balancer = await fixture.open();
      const proxies: TestProxy[] = [];
      for (let i = 1; i <= PROXIES; i += 1) proxies.push(await testProxy(`proxy-${i}`));
      const desired = new DesiredEntries(fixture, proxies);
      balancer.want(desired.entries);
      await balancer.adopt();
      await fixture.write(`${await fixture.read()}${AFTER}`);
      const load = new Load(fixture.port);
      await load.start();

      const [sample = []] = fc.sample(changes, { numRuns: 1, seed: 20_260_601 });
      expect(sample).toHaveLength(CHANGES);
      for (const [index, change] of sample.entries()) {
        desired.make(change);
        balancer.want(desired.entries);
        // Wait only for each second change, so that the other changes accumulate as in a busy network.
        if (index % 2 === 0 && change.kind !== 'addition')
          await madeIn(fixture, proxies[change.which], desired.states[change.which]);
      }
      fixture.addition = 'send-proxy';
      balancer.want(desired.entries);
      await waitFor(
        async () => findSection(await fixture.read()).kind === 'one' && balancer.view.error === null,
      );
      await load.stop();

      expect(load.failures).toEqual([]);
      expect(load.held).toHaveLength(12);
      expect(load.joined).toBeGreaterThan(CHANGES / 5);
      for (const client of load.held) await client.echo('to the end');
      for (const client of load.held) client.leave();
      await expectEqual(fixture, desired, proxies);
      const found = findSection(await fixture.read());
      if (found.kind !== 'one') throw new Error(`no section: ${found.kind}`);
      expect(found.section.before).toBe(before);
      expect(found.section.after).toBe(AFTER);
    },
    TIMEOUT_MS,
  );
});

/** Waits until the running HAProxy has applied the change. A removed proxy stays drained while players are on it. */
async function madeIn(fixture: HaproxyFixture, proxy: TestProxy | undefined, state = 'open'): Promise<void> {
  await waitFor(
    async () => {
      const shown = (await fixture.servers()).find((server) => server.startsWith(`${proxy?.name} `));
      if (state === 'open') return shown?.endsWith(' ready');
      return shown === undefined ? state === 'remove' : !shown.endsWith(' ready');
    },
    { what: `HAProxy to ${state} ${proxy?.name}` },
  );
}

/** Verifies that HAProxy, its file and the wanted proxies agree. */
async function expectEqual(
  fixture: HaproxyFixture,
  desired: DesiredEntries,
  proxies: readonly TestProxy[],
): Promise<void> {
  const wanted = proxies
    .flatMap(({ name }, index) => {
      const state = desired.states[index];
      return state === 'remove' ? [] : [`${name} ${state === 'open' ? 'ready' : 'drain'}`];
    })
    .sort();
  await waitFor(async () => (await fixture.servers()).join() === wanted.join(), {
    what: `HAProxy to show ${wanted.join()}`,
  });
  await waitFor(async () => inFile(await fixture.read()).join() === wanted.join(), {
    what: `the file to say ${wanted.join()}`,
  });
}

/** Returns the `server` lines of Overworld's section in the notation of the running HAProxy. */
function inFile(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^ {4}server /.test(line))
    .map((line) => line.trim().split(' '))
    .map(([, name = '', , next = '']) => `${name} ${next === 'disabled' ? 'drain' : 'ready'}`)
    .sort();
}
