import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import type { Machine, Machines } from '#master/nodes/machines.ts';
import type { NodeRegistry } from '#master/nodes/node.ts';
import { openRegistry, type RegistryOptions } from '#master/nodes/registry.ts';
import { localNode } from '#master/nodes/local/local-node.ts';
import { NodeEvents } from '#master/control/nodes/node-events.ts';
import type { EventLog } from '#master/store/event-log.ts';

const ORDERED_AT = 1_000_000;

let now: number;
let machine: Machine | null;
let contact: ContactState | null;
let calls: string[];
let frozen: boolean;
let overrides: { readonly held: boolean; readonly locked: boolean };
let registry: NodeRegistry;
let readyWithinMs: number;
let trouble: string | null;
let keyMadeAt: number;
let isBlind: boolean;

beforeEach(async () => {
  now = ORDERED_AT;
  contact = null;
  frozen = false;
  overrides = { held: false, locked: false };
  readyWithinMs = 0;
  trouble = null;
  keyMadeAt = 0;
  isBlind = false;
  calls = [];
  machine = {
    node: 'node-1',
    state: 'on',
    address: '203.0.113.7',
    type: 'cpx32',
    location: 'nbg1',
    since: ORDERED_AT,
    hourlyPrice: 0.05,
    ramMb: 7_000,
    cores: 4,
    sshPort: 22,
    hostKeys: [],
    readyAt: null,
  };
  registry = await open();
});

/** Opens a registry that is connected to a simulated cloud provider. */
async function open(replaced: Partial<RegistryOptions> = {}): Promise<NodeRegistry> {
  const machines: Machines = {
    all: () => (machine === null ? [] : [machine]),
    listed: () => true,
    supply: () => null,
    refresh: () => Promise.resolve(),
    trouble: () => trouble,
    isBlind: () => isBlind,
    isFrozen: () => frozen,
    foreignServers: () => [],
    deleteForeignServer: () => Promise.resolve(),
    order: () => Promise.resolve(),
    release: (node, requester) => {
      calls.push(`release ${node}`);
      const isRefused = frozen && requester === 'rules';
      return isRefused ? Promise.reject(new Error('configure mode is on')) : Promise.resolve();
    },
    remember: (node, found) => {
      calls.push(`remember ${node}: ready at ${found.readyAt}`);
      if (found.readyAt !== undefined) change({ readyAt: found.readyAt });
      return Promise.resolve();
    },
    countFailure: (node, why) => calls.push(`failed ${node}: ${why}`),
    allowMaster: () => undefined,
    close: () => Promise.resolve(),
  };
  const cloud = {
    machines,
    contacts: {
      keep: (kept: readonly Machine[]) => calls.push(`keep ${kept.map(({ node }) => node).join()}`),
      // The registry uses only the state and hasJava of a contact.
      of: () => (contact === null ? undefined : ({ state: contact, hasJava: true } as Contact)),
      onChange: () => () => undefined,
      close: () => Promise.resolve(),
    },
    makeSeed: () => ({ userData: '', hostKey: '' }),
    readyWithinMs,
    keyMadeAt,
    tidy: () => undefined,
  };
  const opened = await openRegistry({
    local: null,
    cloud: { isNeeded: () => true, open: () => Promise.resolve(cloud) },
    silence: { answers: () => false, clock: () => 0 },
    now: () => now,
    overridesOf: () => overrides,
    onOverdue: (node, error) => calls.push(`overdue ${node}: ${error.code}`),
    log: { error: () => undefined },
    ...replaced,
  });
  const only = machine;
  machine = null;
  await opened.refresh();
  machine = only;
  calls = [];
  return opened;
}

const state = (): string | undefined => registry.nodes()[0]?.state;
const silent = (): boolean => registry.nodes()[0]?.silentSince !== null;

function change(rest: Partial<Machine>): void {
  if (machine !== null) machine = { ...machine, ...rest };
}

describe('NodeRegistry (knows all nodes of the network)', () => {
  it('returns the local node before cloud nodes, and always with its current state', async () => {
    let hasJava = false;
    registry = await open({ local: localNode({ ramMb: 1_000, hasJava: () => Promise.resolve(hasJava) }) });
    expect(registry.nodes().map(({ id }) => id)).toEqual(['local', 'node-1']);
    expect(registry.nodes()[0]).toMatchObject({
      kind: 'local',
      state: 'READY',
      ramMb: 1_000,
      hasJava: false,
    });
    hasJava = true;
    await registry.refresh();
    expect(registry.nodes()[0]?.hasJava).toBe(true);
  });

  it('connects to the cloud provider only when a cloud provider is needed', async () => {
    let isNeeded = false;
    let opened = 0;
    const openCloud = (): Promise<never> => {
      opened += 1;
      return Promise.reject(new Error('no key'));
    };
    registry = await open({ cloud: { isNeeded: () => isNeeded, open: openCloud } });
    expect(opened).toBe(0);
    expect([registry.nodes(), registry.listed(), registry.trouble(), registry.market()]).toEqual([
      [],
      true,
      null,
      null,
    ]);
    isNeeded = true;
    expect(registry.listed()).toBe(false);
    await registry.refresh();
    await registry.refresh();
    expect(opened).toBe(2);
    expect(registry.trouble()).toContain('no key');
    expect(registry.listed()).toBe(false);
  });

  it('refuses orders and releases until the cloud provider is connected', async () => {
    registry = await open({ cloud: { isNeeded: () => false, open: () => Promise.reject(new Error()) } });
    const order = { node: 'node-1', type: 'cpx32', location: 'nbg1', ramMb: 7_000 };
    await expect(registry.order(order)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(registry.release('node-1', 'user')).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(registry.hasReleased('node-1')).toBe(false);
  });

  it('counts a node as released while its server is being deleted, but not after a refused deletion', async () => {
    frozen = true;
    await expect(registry.release('node-1', 'rules')).rejects.toThrow('configure mode');
    expect(registry.hasReleased('node-1')).toBe(false);
    change({ state: 'deleting' });
    await expect(registry.release('node-1', 'rules')).rejects.toThrow('configure mode');
    expect(registry.hasReleased('node-1')).toBe(true);
  });

  it('returns a node as LOST after it was silent for too long', async () => {
    change({ readyAt: ORDERED_AT });
    let clock = 0;
    registry = await open({
      silence: { answers: () => false, limits: { graceMs: 10, pauseMs: 0 }, clock: () => clock },
    });
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    // A problem of the provider, such as a price list that cannot be read, does not keep the node from being lost.
    trouble = 'The price list cannot be read.';
    clock = 10;
    await registry.refresh();
    expect(state()).toBe('READY');
    clock = 11;
    isBlind = true;
    await registry.refresh();
    expect(state()).toBe('READY');
    isBlind = false;
    await registry.refresh();
    expect(state()).toBe('LOST');
    contact = { kind: 'ready' };
    await registry.refresh();
    expect(state()).toBe('READY');
  });

  it('returns the problem of the last observation as the note of a node if the node has no other note', async () => {
    const note = (): string | null | undefined => registry.nodes()[0]?.note;
    contact = { kind: 'ready' };
    registry.setProblem('node-1', 'It answers nonsense.');
    registry.setProblem('node-7', 'It does not exist.');
    expect(note()).toBe('It answers nonsense.');
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    expect(note()).toBe('It cannot be reached: no answer.');
    contact = { kind: 'ready' };
    registry.setProblem('node-1', null);
    expect(note()).toBeNull();
    registry.setProblem('node-1', 'It answers nonsense.');
    const only = machine;
    machine = null;
    await registry.refresh();
    machine = only;
    expect(note()).toBeNull();
  });

  it('returns a node as unconfirmed until its server exists', () => {
    change({ state: 'deleting', address: null, isUnconfirmed: true });
    expect(registry.nodes()[0]?.isUnconfirmed).toBe(true);
    change({ isUnconfirmed: false });
    expect(registry.nodes()[0]?.isUnconfirmed).toBe(false);
  });

  it('returns a node as BOOTING until it is set up, and as READY afterwards', () => {
    expect(state()).toBe('BOOTING');
    contact = { kind: 'preparing', step: 'Installing Java.' };
    expect(registry.nodes()[0]).toMatchObject({ state: 'BOOTING', note: 'Installing Java.' });
    contact = { kind: 'ready' };
    expect(registry.nodes()[0]).toMatchObject({ state: 'READY', note: null, silentSince: null });
  });

  it('after a restart, returns a previously ready node as READY, and as silent until the master reaches the node', () => {
    change({ readyAt: ORDERED_AT });
    expect([state(), silent()]).toEqual(['READY', true]);
    const since = registry.nodes()[0]?.silentSince;
    expect(registry.nodes()[0]?.silentSince).toBe(since);
    contact = { kind: 'ready' };
    expect([state(), silent()]).toEqual(['READY', false]);
    contact = { kind: 'silent', since: 42, problem: 'no answer' };
    expect(registry.nodes()[0]).toMatchObject({ state: 'READY', silentSince: 42 });
    expect(registry.nodes()[0]?.note).toBe('It cannot be reached: no answer.');
  });

  it('reports why a node that answers cannot run services', async () => {
    change({ readyAt: ORDERED_AT });
    contact = { kind: 'unprepared', since: 42, problem: 'its disk is full' };
    expect(registry.nodes()[0]).toMatchObject({ state: 'READY', silentSince: 42, unprepared: true });
    expect(registry.nodes()[0]?.note).toBe(
      'It answers, but cannot be prepared for services: its disk is full. Its running services are not affected.',
    );
    // The master does not report this state as a wrong key either, even if the key is newer than the node.
    keyMadeAt = ORDERED_AT + 1;
    registry = await open();
    registry.nodes();
    expect(registry.trouble()).toBeNull();
  });

  it.each([
    ['ordered', null, 'ORDERED'],
    ['starting', null, 'BOOTING'],
    ['off', null, 'BOOTING'],
    ['off', ORDERED_AT, 'LOST'],
    ['deleting', ORDERED_AT, 'DELETING'],
  ] as const)(
    'with a server in the state %s that was first ready at %s, returns the node as %s',
    (was, readyAt, expected) => {
      change({ state: was, readyAt });
      expect(state()).toBe(expected);
    },
  );

  it('releases a node that does not become ready in time, and reports the reason', async () => {
    contact = { kind: 'waiting', problem: 'SSH does not answer' };
    await registry.refresh();
    expect(calls).toEqual(['keep node-1']);
    now += 1;
    await registry.refresh();
    await registry.refresh();
    expect(calls.filter((call) => !call.startsWith('keep'))).toEqual([
      'failed node-1: SSH does not answer',
      'overdue node-1: NODE_OVERDUE',
      'release node-1',
    ]);
  });

  it('does not report a node as deleted by others if the master has released this node', async () => {
    const told: string[] = [];
    // The events use only add() of the log.
    const log = { add: ({ message }: { message: string }) => told.push(message) } as unknown as EventLog;
    const news = new NodeEvents(log, () => now);
    news.see(registry);
    now += 1;
    await registry.refresh();
    expect(calls).toContain('release node-1');
    machine = null;
    news.see(registry);
    expect(told).toEqual([]);
  });

  it('keeps an overdue node in configure mode, and explains what to do about it', async () => {
    frozen = true;
    contact = { kind: 'waiting', problem: 'SSH does not answer' };
    now += 1;
    await registry.refresh();
    expect(calls).toEqual(['keep node-1']);
    expect(registry.nodes()[0]?.note).toBe(
      'It did not become ready in time: SSH does not answer. It stays while configure mode is on; release it by hand.',
    );
    frozen = false;
    await registry.refresh();
    expect(calls).toContain('release node-1');
  });

  it.each([
    ['it is protected from release', { held: false, locked: true }],
    ['its automation is paused', { held: true, locked: false }],
  ])('keeps an overdue node while %s, counts it as failed once, and releases it later', async (why, kept) => {
    overrides = kept;
    contact = { kind: 'waiting', problem: 'SSH does not answer' };
    now += 1;
    await registry.refresh();
    await registry.refresh();
    const done = (): string[] => calls.filter((call) => !call.startsWith('keep'));
    expect(done()).toEqual(['failed node-1: SSH does not answer']);
    expect(registry.nodes()[0]?.note).toBe(
      `It did not become ready in time: SSH does not answer. It stays while ${why}.`,
    );
    expect(registry.nodes()[0]?.isOverdue).toBe(true);
    overrides = { held: false, locked: false };
    await registry.refresh();
    expect(done()).toEqual([
      'failed node-1: SSH does not answer',
      'overdue node-1: NODE_OVERDUE',
      'release node-1',
    ]);
  });

  it('accepts a protected node that becomes ready late', async () => {
    overrides = { held: false, locked: true };
    now += 1;
    await registry.refresh();
    contact = { kind: 'ready' };
    await registry.refresh();
    expect(registry.nodes()[0]).toMatchObject({ state: 'READY', note: null });
    overrides = { held: false, locked: false };
    await registry.refresh();
    expect(calls).not.toContain('release node-1');
  });

  it('stores when a node was first ready, and does not treat it as overdue afterwards', async () => {
    contact = { kind: 'ready' };
    now += 1;
    await registry.refresh();
    await registry.refresh();
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    await registry.refresh();
    expect(calls.filter((call) => !call.startsWith('keep'))).toEqual([
      `remember node-1: ready at ${ORDERED_AT + 1}`,
    ]);
    expect(state()).toBe('READY');
  });

  it('measures the age of its orders with the monotonic clock', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    readyWithinMs = 600_000;
    registry = await open();
    await registry.order({ node: 'node-1', type: 'cpx32', location: 'nbg1', ramMb: 7_000 });
    await registry.refresh();
    now += 3_600_000;
    vi.advanceTimersByTime(599_999);
    await registry.refresh();
    expect(calls).not.toContain('release node-1');
    vi.advanceTimersByTime(1);
    await registry.refresh();
    expect(calls).toContain('release node-1');
  });

  it("reports a problem if the master's SSH key is newer than nodes that the master has never reached", async () => {
    keyMadeAt = ORDERED_AT + 1;
    registry = await open();
    change({ readyAt: ORDERED_AT });
    expect(registry.trouble()).toContain('Restore config/node_key');
    contact = { kind: 'ready' };
    expect(registry.nodes()[0]?.state).toBe('READY');
    expect(registry.trouble()).toBeNull();
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    expect(registry.trouble()).toBeNull();
  });

  it('opens SSH connections only to servers that are running', async () => {
    change({ state: 'starting' });
    await registry.refresh();
    expect(calls).toEqual(['keep ']);
  });
});
