import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MAX_COMING } from '#master/core/fleet/spending.ts';
import { HetznerApi } from '#master/nodes/hetzner/api/hetzner-api.ts';
import type { Context } from '#master/nodes/hetzner/context.ts';
import { Guard } from '#master/nodes/hetzner/guard.ts';
import { InventorySync } from '#master/nodes/hetzner/inventory-sync.ts';
import { Journal, type MachineRecord } from '#master/nodes/hetzner/journal.ts';
import { clusterLabels, serverName, toLabels } from '#master/nodes/hetzner/labels.ts';
import { DEFAULT_TIMES } from '#master/nodes/hetzner/options.ts';
import { PriceList } from '#master/nodes/hetzner/price-list.ts';
import { OrderRejections } from '#master/nodes/hetzner/rejections.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { CLUSTER, HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NODE = 'node-1';
const PAIR = { type: 'cpx22', location: 'nbg1' };
const SOLD_OUT_MS = 60_000;

let fake: FakeHetzner;
let onPost: () => void;
let onDelete: () => void;
let journal: Journal;
let rejections: OrderRejections;
let settings: {
  readonly provider: { configure_mode: boolean };
  readonly limits: { max_nodes: number; max_cost_per_hour: number; max_cost_per_month: number };
};
let spent: number;
let isPaused: boolean;
let context: Context;
let guard: Guard;
let logged: object[];
let image: number;
let api: () => HetznerApi;

/** Create the guard with a real journal and a fake provider. */
beforeEach(async () => {
  onPost = () => undefined;
  onDelete = () => undefined;
  fake = await startFakeHetzner({
    actionMs: 1,
    onRequest: ({ method }) => {
      if (method === 'POST') onPost();
      if (method === 'DELETE') onDelete();
    },
  });
  onTestFinished(() => fake.close());
  const log = { warn: () => undefined };
  const times = { timeoutMs: 1_000, retryMs: 20 };
  const client = new HetznerApi({ token: fake.token, baseUrl: fake.url, ...times, log });
  onTestFinished(() => client.requester.close());
  api = () => client;
  image = (await client.systemImages('x86'))[0]?.id ?? 0;
  journal = await Journal.open(join(temporaryFolder(), 'nodes.json'));
  rejections = new OrderRejections({ soldOut: SOLD_OUT_MS });
  const { provider, limits } = masterConfigSchema.parse({ provider: { configure_mode: false } });
  settings = { provider, limits };
  isPaused = false;
  spent = 0;
  const now = (): number => fake.clock.now();
  logged = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as object);
  context = {
    ...{ journal, cluster: CLUSTER, now, api, times: DEFAULT_TIMES, isTokenProven: () => true },
    log: pino({ base: null, timestamp: false }, { write }),
    settings: () => ({ provider, firewallRules: [], masterAddress: '127.0.0.1', limits }),
  };
  guard = new Guard({
    context,
    rejections,
    paused: () => (isPaused ? { message: 'The limit of the account is reached.', until: now() + 1 } : null),
    price: () => 0.03,
    month: () => ({ spent, endsAt: now() + 86_400_000 }),
  });
});

function aRecord(node: string, rest: Partial<MachineRecord> = {}): MachineRecord {
  return {
    ...{ node, name: serverName(CLUSTER, node), server: null, phase: 'ordering', status: 'starting' },
    ...{ address: null, ...PAIR, since: fake.clock.now(), hourlyPrice: 0.03, ramMb: 3_676, cores: 2 },
    ...{ sshPort: 22, hostKeys: [], readyAt: null, ...rest },
  };
}

/** Returns the received requests that cost money or delete something. */
function sent(): string[] {
  const paid = fake.requests.filter(({ method }) => method === 'POST' || method === 'DELETE');
  return paid.map(({ method, path }) => `${method} ${path}`);
}

/** Returns all combinations of these values. */
function combine<T extends Record<string, readonly unknown[]>>(
  values: T,
): { readonly [K in keyof T]: T[K][number] }[] {
  return Object.entries(values).reduce<Record<string, unknown>[]>(
    (all, [key, choices]) => all.flatMap((one) => choices.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as { readonly [K in keyof T]: T[K][number] }[];
}

const BOTH = [false, true] as const;

async function createServer(isRepeated: boolean): Promise<unknown> {
  const record = aRecord(NODE);
  const order = {
    ...{ name: record.name, server_type: record.type, location: record.location, image },
    ...{ ssh_keys: [], firewalls: [], user_data: '', labels: toLabels(CLUSTER, record) },
  };
  return guard.createServer(record, order, isRepeated);
}

describe('a new server', () => {
  it('is requested only if all conditions are met, tested with all 96 combinations', async () => {
    const cases = combine({
      configureMode: BOTH,
      paused: BOTH,
      soldOut: BOTH,
      atLimit: BOTH,
      intent: ['none', 'ordering', 'releasing'] as const,
      isRepeated: BOTH,
    });
    const last = `node-${MAX_COMING + 1}`;
    for (let number = 2; number <= MAX_COMING; number += 1) await journal.add(aRecord(`node-${number}`));
    await journal.add(aRecord('node-90', { phase: 'there', readyAt: 1 }));
    await journal.add(aRecord('node-91', { phase: 'releasing' }));
    for (const one of cases) {
      const { configureMode, paused, soldOut, atLimit, intent, isRepeated } = one;
      fake.world.servers.clear();
      fake.requests.length = 0;
      settings.provider.configure_mode = configureMode;
      isPaused = paused;
      if (soldOut) rejections.avoid(PAIR.type, PAIR.location, fake.clock.now());
      else rejections.allow(PAIR.type, PAIR.location);
      if (atLimit) await journal.add(aRecord(last));
      else await journal.forget(last);
      if (intent === 'none') await journal.forget(NODE);
      else await journal.add(aRecord(NODE, { phase: intent }));
      const isAllowed =
        intent === 'ordering' && !configureMode && (isRepeated || !(paused || soldOut || atLimit));
      const outcome = await createServer(isRepeated).then(
        () => 'created',
        (error: unknown) => (error as { code: string }).code,
      );
      expect({ ...one, outcome, sent: sent() }).toEqual({
        ...one,
        outcome: isAllowed ? 'created' : 'ORDER_REFUSED',
        sent: isAllowed ? ['POST /servers'] : [],
      });
      expect(guard.mayRepeat(aRecord(NODE))).toBe(intent === 'ordering' && !configureMode);
    }
    expect(cases).toHaveLength(96);
  });

  it.each([
    ['the number of nodes', { max_nodes: 1 }, /there would be 2 cloud nodes, and the limit is 1/],
    [
      'the cost per hour',
      { max_cost_per_hour: 0.05 },
      /would cost 0\.06 EUR per hour, and the limit is 0\.05/,
    ],
    ['the cost per month', { max_cost_per_month: 10 }, /this month would cost .* and the limit is 10\.00/],
  ])('is not requested if it would exceed the limit of %s', async (_, limit, why) => {
    await journal.add(aRecord('node-90', { phase: 'there', readyAt: 1 }));
    spent = 9.99;
    const order = { node: NODE, ...PAIR };
    expect(() => guard.checkOrder(order)).not.toThrow();
    Object.assign(settings.limits, limit);
    expect(() => guard.checkOrder(order)).toThrow(why);
    // The limit may also be lowered after the order was recorded.
    await journal.add(aRecord(NODE));
    await expect(createServer(false)).rejects.toThrow(why);
    expect(sent()).toEqual([]);
    Object.assign(settings.limits, { max_nodes: 2, max_cost_per_hour: 0.06, max_cost_per_month: 1_000 });
    await createServer(false);
    expect(sent()).toEqual(['POST /servers']);
  });

  it('is checked against all conditions again before each attempt', async () => {
    await journal.add(aRecord(NODE));
    fake.faults.add({ kind: 'refuse', status: 409, code: 'conflict', method: 'POST' });
    // Switch on configure mode while the provider refuses the first attempt. Otherwise, the guard would repeat the
    // attempt.
    onPost = () => (settings.provider.configure_mode = true);
    await expect(createServer(false)).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(sent()).toEqual(['POST /servers']);
    expect(fake.everOrdered()).toEqual([]);
  });

  it('is checked against all conditions before its order is written to the journal', () => {
    const order = { node: NODE, ...PAIR };
    expect(() => guard.checkOrder(order)).not.toThrow();
    isPaused = true;
    expect(() => guard.checkOrder(order)).toThrow('The limit of the account is reached.');
    isPaused = false;
    rejections.avoid(PAIR.type, PAIR.location, fake.clock.now());
    expect(() => guard.checkOrder(order)).toThrow('cpx22 is not available in nbg1');
    fake.clock.advance(SOLD_OUT_MS);
    expect(() => guard.checkOrder(order)).not.toThrow();
    settings.provider.configure_mode = true;
    expect(() => guard.checkOrder(order)).toThrow('configure mode is on');
  });
});

describe('the deletion of a server', () => {
  it('is requested only for servers of this network: released servers, and while configure mode is off also servers without a node', async () => {
    const cases = combine({
      configureMode: BOTH,
      isOurs: BOTH,
      record: ['none', 'there', 'releasing'] as const,
    });
    for (const one of cases) {
      const { configureMode, isOurs, record } = one;
      settings.provider.configure_mode = configureMode;
      const { id, name } = fake.addServer(`server-${fake.world.servers.size}`);
      // The provider locks a server until its creation has finished.
      fake.clock.advance(1_000);
      const labels = isOurs ? clusterLabels(CLUSTER) : { team: 'web' };
      if (record !== 'none') await journal.add(aRecord(NODE, { server: id, phase: record }));
      fake.requests.length = 0;
      const isAllowed = isOurs && (record === 'releasing' || (record === 'none' && !configureMode));
      const server = await api().server(id);
      if (server === null) throw new Error(`no server ${name}`);
      const deletion = guard.deleteServer({ ...server, labels });
      const isDone = await deletion.then(
        () => true,
        () => false,
      );
      const deletions = sent();
      expect({ ...one, isDone, deletions }).toEqual({
        ...one,
        isDone: isAllowed,
        deletions: isAllowed ? [`DELETE /servers/${id}`] : [],
      });
      await journal.forget(NODE);
    }
    expect(cases).toHaveLength(12);
  });

  it.each([
    ['allowed', 'user', 'off'],
    ['allowed', 'user', 'on'],
    ['allowed', 'rules', 'off'],
    ['refused', 'rules', 'on'],
  ] as const)('is %s if it is requested by the %s and configure mode is %s', (answer, requester, mode) => {
    settings.provider.configure_mode = mode === 'on';
    const check = (): void => guard.checkRelease(NODE, requester);
    if (answer === 'allowed') expect(check).not.toThrow();
    else expect(check).toThrow('configure mode is on');
  });
});

describe('the deletion of a primary IP', () => {
  it.each(combine({ configureMode: BOTH, isOurs: BOTH, isAssigned: BOTH }))(
    'is requested only for unassigned IPs of this network while configure mode is off (configure mode $configureMode, ours $isOurs, assigned $isAssigned)',
    async ({ configureMode, isOurs, isAssigned }) => {
      settings.provider.configure_mode = configureMode;
      fake.addServer('web-1');
      const [ip] = await api().primaryIps({});
      if (ip === undefined) throw new Error('no IP');
      const labels = isOurs ? clusterLabels(CLUSTER) : {};
      const assignee_id = isAssigned ? ip.assignee_id : null;
      await guard.deletePrimaryIp({ ...ip, labels, assignee_id }).catch(() => undefined);
      const isAllowed = isOurs && !isAssigned && !configureMode;
      expect(sent()).toEqual(isAllowed ? [`DELETE /primary_ips/${ip.id}`] : []);
    },
  );
});

describe('the synchronisation of nodes with servers at the provider', () => {
  const busy = { kind: 'refuse', status: 409, code: 'conflict', method: 'DELETE' } as const;

  /** Adds three servers for one node. The master adopts the first server. The other servers are leftovers. */
  function addServers(): number[] {
    const labels = toLabels(CLUSTER, aRecord(NODE));
    const ids = ['first', 'second', 'third'].map((name) => fake.addServer(name, labels).id);
    fake.clock.advance(2 * DEFAULT_TIMES.grace);
    return ids;
  }

  function inventory(): InventorySync {
    return new InventorySync(context, guard, new PriceList(context, rejections));
  }

  async function sync(): Promise<number[]> {
    const ours = await inventory().sync(await api().servers(clusterLabels(CLUSTER)));
    return ours.map(({ id }) => id);
  }

  it('keeps servers without a node while configure mode is on, and logs this reason', async () => {
    settings.provider.configure_mode = true;
    const [first, second, third] = addServers();
    expect(await sync()).toEqual([first]);
    expect(sent()).toEqual([]);
    const why = 'configure mode is on';
    for (const id of [second, third]) expect(logged).toContainEqual(expect.objectContaining({ id, why }));
  });

  it('deletes no more servers if configure mode is switched on between two attempts', async () => {
    const [first, second, third] = addServers();
    fake.faults.add(busy);
    onDelete = () => (settings.provider.configure_mode = true);
    expect(await sync()).toEqual([first]);
    expect(sent()).toEqual([`DELETE /servers/${second}`]);
    expect(fake.servers().map(({ id }) => id)).toEqual([first, second, third]);
    const why = 'configure mode is on';
    for (const id of [second, third]) expect(logged).toContainEqual(expect.objectContaining({ id, why }));
  });

  it('if a server without a node gets a node between two attempts, deletes only the other servers without a node', async () => {
    const [first, second, third] = addServers();
    fake.faults.add({ ...busy, times: Infinity });
    onDelete = () => {
      onDelete = () => undefined;
      const record = aRecord('node-2', { server: second ?? null, phase: 'there' });
      void journal.add(record).then(() => fake.faults.clear());
    };
    await sync();
    expect(new Set(sent())).toEqual(new Set([`DELETE /servers/${second}`, `DELETE /servers/${third}`]));
    expect(fake.servers().map(({ id }) => id)).toEqual([first, second]);
    expect(logged).toContainEqual(expect.objectContaining({ id: second, why: 'the server is in use' }));
  });

  it('keeps unused IPs if configure mode is switched on between two attempts', async () => {
    for (const name of ['first', 'second']) fake.addServer(name);
    for (const ip of fake.world.primaryIps.values()) {
      ip.server = null;
      ip.labels = { ...clusterLabels(CLUSTER) };
    }
    fake.faults.add(busy);
    onDelete = () => (settings.provider.configure_mode = true);
    await inventory().sweepPrimaryIps();
    expect(sent()).toHaveLength(1);
    expect(logged).toContainEqual(expect.objectContaining({ why: 'configure mode is on' }));
  });
});

describe('a node that is released while its order is prepared', () => {
  it('is not ordered', async () => {
    let release: Promise<void> | undefined;
    const fixture = await HetznerFixture.open({
      onRequest: ({ path }) => {
        if (path.startsWith('/images')) release ??= fixture.machines.release(NODE, 'user');
      },
    });
    onTestFinished(() => fixture.close());
    await fixture.start();
    await expect(fixture.order()).rejects.toThrow('its release was requested');
    await release;
    expect(fixture.fake.everOrdered()).toEqual([]);
    expect(fixture.machines.all()).toEqual([]);
  });
});
