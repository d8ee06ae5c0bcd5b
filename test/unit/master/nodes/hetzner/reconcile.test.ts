import { describe, expect, it } from 'vitest';
import type { Server } from '#master/nodes/hetzner/api/schemas.ts';
import type { MachineRecord } from '#master/nodes/hetzner/journal.ts';
import { toLabels } from '#master/nodes/hetzner/labels.ts';
import { reconcile, type InventoryState } from '#master/nodes/hetzner/reconcile.ts';

const NOW = 10_000_000;
const CLUSTER = 'c1';

function server(id: number, node: string, change: Partial<Server> & { readyAt?: number } = {}): Server {
  const { readyAt = null, ...rest } = change;
  return {
    id,
    name: `ow-c1-${node}`,
    status: 'running',
    created: NOW - 3_600_000,
    public_net: { ipv4: { id: 1, ip: '203.0.113.1' }, ipv6: null, firewalls: [] },
    server_type: {
      name: 'cpx22',
      cores: 2,
      memory: 4,
      prices: [{ location: 'nbg1', price_hourly: { net: 0.03 } }],
    },
    location: { name: 'nbg1' },
    labels: toLabels(CLUSTER, { node, readyAt, sshPort: 22, hostKeys: [] }),
    ...rest,
  };
}

function record(node: string, id: number | null, change: Partial<MachineRecord> = {}): MachineRecord {
  return {
    node,
    name: `ow-c1-${node}`,
    server: id,
    phase: id === null ? 'ordering' : 'there',
    status: 'on',
    address: null,
    type: 'cpx22',
    location: 'nbg1',
    since: NOW - 1_000,
    hourlyPrice: 0.02,
    ramMb: 3676,
    cores: 2,
    sshPort: 2222,
    hostKeys: ['SHA256:x'],
    readyAt: null,
    ...change,
  };
}

function find(change: Partial<InventoryState>): ReturnType<typeof reconcile> {
  return reconcile({
    servers: [],
    records: [],
    busy: new Set(),
    now: NOW,
    graceMs: 60_000,
    hourlyPriceOf: () => 0.0308,
    ...change,
  });
}

describe('reconcile (compares records of nodes with the servers at the provider)', () => {
  it('adopts a server that has no record, and records its current price', () => {
    const { adopted } = find({ servers: [server(1, 'node-1')] });
    expect(adopted).toMatchObject([
      { node: 'node-1', server: 1, phase: 'there', hourlyPrice: 0.0308, sshPort: 22 },
    ]);
  });

  it('adopts the server of an order whose response was lost, and keeps the recorded data', () => {
    const { adopted, forgotten } = find({
      servers: [server(1, 'node-1')],
      records: [record('node-1', null, { since: 0 })],
    });
    expect(adopted).toMatchObject([{ server: 1, hourlyPrice: 0.02, sshPort: 2222, hostKeys: ['SHA256:x'] }]);
    expect(forgotten).toEqual([]);
  });

  it('takes the node of a recorded server from the record if the label names another node', () => {
    const found = find({ servers: [server(1, 'node-9')], records: [record('node-3', 1)] });
    expect(found).toMatchObject({ adopted: [], strays: [], missing: [], changed: [{ node: 'node-3' }] });
    const both = { servers: [server(1, 'node-4'), server(2, 'node-4')] };
    const { strays } = find({ ...both, records: [record('node-3', 1), record('node-4', 2)] });
    expect(strays).toEqual([]);
  });

  it.each([
    ['recorded', 1],
    ['unknown', null],
  ])(
    'takes from the labels that a node is ready if its record is older: the id of its server is %s',
    (_, id) => {
      const hostKeys = [`SHA256:${'a'.repeat(43)}`];
      const labels = toLabels(CLUSTER, { node: 'node-1', readyAt: 7_000, sshPort: 2222, hostKeys });
      const servers = [{ ...server(1, 'node-1'), labels }];
      const { adopted, changed } = find({ servers, records: [record('node-1', id)] });
      expect([...adopted, ...changed.map(({ change }) => change)]).toMatchObject([
        { readyAt: 7_000, hostKeys },
      ]);
      const later = find({ servers, records: [record('node-1', 1, { readyAt: 8_000 })] }).changed[0]?.change;
      expect(later).not.toHaveProperty('readyAt');
      expect(later).not.toHaveProperty('hostKeys');
    },
  );

  it('adopts the server of a node that is being released, and keeps the phase "releasing"', () => {
    const records = [record('node-1', null, { phase: 'releasing' })];
    expect(find({ servers: [server(1, 'node-1')], records }).adopted[0]?.phase).toBe('releasing');
  });

  it('changes nothing for a node while its order is in progress', () => {
    const found = find({
      servers: [server(1, 'node-1'), server(2, 'node-1')],
      records: [record('node-1', null, { since: 0 })],
      busy: new Set(['node-1']),
    });
    expect(found).toMatchObject({ adopted: [], forgotten: [], strays: [], missing: [] });
  });

  it.each([
    ['younger than the grace time', NOW - 59_000, []],
    ['older than the grace time', NOW - 61_000, ['node-1']],
    ['slightly in the future, because the clock was set back', NOW + 5_000, []],
    ['far in the future, because the clock was set back', NOW + 61_000, ['node-1']],
  ])('forgets an order without a server only if the order is old enough: %s', (_, since, want) => {
    expect(find({ records: [record('node-1', null, { since })] }).forgotten).toEqual(want);
  });

  it('reports a recorded server that the provider does not list, and keeps its record', () => {
    const { missing, adopted } = find({ servers: [server(2, 'node-1')], records: [record('node-1', 1)] });
    expect(missing.map(({ server: id }) => id)).toEqual([1]);
    expect(adopted).toEqual([]);
  });

  it('keeps one server per node: the recorded server, or else a server that was ready, or else the oldest server', () => {
    const servers = [server(1, 'node-1'), server(2, 'node-1', { readyAt: 1000 }), server(3, 'node-1')];
    const strayIds = (records: MachineRecord[]): number[] =>
      find({ servers, records }).strays.map(({ id }) => id);
    expect(strayIds([record('node-1', 3)])).toEqual([1, 2]);
    expect(strayIds([])).toEqual([1, 3]);
  });

  it('keeps the second server of a node if it was created a moment ago', () => {
    const servers = [server(1, 'node-1'), server(2, 'node-1', { created: NOW - 1_000 })];
    expect(find({ servers, records: [record('node-1', 1)] }).strays).toEqual([]);
  });

  it('reports a server without a node label, and does not change it', () => {
    const stranger = { ...server(1, 'node-1'), labels: { 'overworld/cluster': CLUSTER } };
    expect(find({ servers: [stranger] })).toMatchObject({ strangers: [{ id: 1 }], strays: [], adopted: [] });
  });

  it.each([
    ['initializing', 'starting'],
    ['starting', 'starting'],
    ['running', 'on'],
    ['unknown', 'on'],
    ['migrating', 'on'],
    ['stopping', 'off'],
    ['off', 'off'],
    ['deleting', 'deleting'],
  ] as const)("converts the provider's status %s to %s", (status, want) => {
    const found = find({ servers: [server(1, 'node-1', { status })], records: [record('node-1', 1)] });
    expect(found.changed).toMatchObject([
      { node: 'node-1', change: { status: want, address: '203.0.113.1' } },
    ]);
  });
});
