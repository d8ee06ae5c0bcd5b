import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cloudProvider } from '#master/nodes/cloud-provider.ts';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import type { Machine, Machines } from '#master/nodes/machines.ts';
import type { Provider } from '#master/nodes/provider.ts';
import { NodeEvents } from '#master/control/nodes/node-events.ts';
import type { EventLog } from '#master/store/event-log.ts';

const ORDERED_AT = 1_000_000;

let now: number;
let machine: Machine | null;
let contact: ContactState | null;
let calls: string[];
let frozen: boolean;
let provider: Provider;
let readyWithinMs: number;
let keyMadeAt: number;

beforeEach(() => {
  now = ORDERED_AT;
  contact = null;
  frozen = false;
  readyWithinMs = 0;
  keyMadeAt = 0;
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
  provider = open();
});

function open(): Provider {
  const machines: Machines = {
    all: () => (machine === null ? [] : [machine]),
    listed: () => true,
    supply: () => null,
    refresh: () => Promise.resolve(),
    trouble: () => null,
    order: () => Promise.resolve(),
    release: (node) => {
      calls.push(`release ${node}`);
      return Promise.resolve();
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
  return cloudProvider({
    machines,
    contacts: {
      keep: (kept) => calls.push(`keep ${kept.map(({ node }) => node).join()}`),
      // Only the state and hasJava of a contact are used.
      of: () => (contact === null ? undefined : ({ state: contact, hasJava: true } as Contact)),
      onChange: () => () => undefined,
      close: () => Promise.resolve(),
    },
    makeBirth: () => ({ userData: '', hostKey: '' }),
    readyWithinMs,
    keyMadeAt,
    now: () => now,
    isFrozen: () => frozen,
    onOverdue: (node, error) => calls.push(`overdue ${node}: ${error.code}`),
    log: { error: () => undefined },
  });
}

const state = (): string | undefined => provider.nodes()[0]?.state;
const silent = (): boolean => provider.nodes()[0]?.silentSince !== null;

function change(rest: Partial<Machine>): void {
  if (machine !== null) machine = { ...machine, ...rest };
}

describe('cloudProvider', () => {
  it('lists a node as READY once the machine itself is ready', () => {
    expect(state()).toBe('BOOTING');
    contact = { kind: 'preparing', step: 'Java is being installed.' };
    expect(provider.nodes()[0]).toMatchObject({ state: 'BOOTING', note: 'Java is being installed.' });
    contact = { kind: 'ready' };
    expect(provider.nodes()[0]).toMatchObject({ state: 'READY', note: null, silentSince: null });
  });

  it('lists a node that was ready before as READY but silent until it is reached', () => {
    change({ readyAt: ORDERED_AT });
    expect([state(), silent()]).toEqual(['READY', true]);
    const since = provider.nodes()[0]?.silentSince;
    expect(provider.nodes()[0]?.silentSince).toBe(since);
    contact = { kind: 'ready' };
    expect([state(), silent()]).toEqual(['READY', false]);
    contact = { kind: 'silent', since: 42, problem: 'no answer' };
    expect(provider.nodes()[0]).toMatchObject({ state: 'READY', silentSince: 42 });
    expect(provider.nodes()[0]?.note).toBe('It cannot be reached: no answer.');
  });

  it('reports why a node that answers cannot run services', () => {
    change({ readyAt: ORDERED_AT });
    contact = { kind: 'unprepared', since: 42, problem: 'its disk is full' };
    expect(provider.nodes()[0]).toMatchObject({ state: 'READY', silentSince: 42, unprepared: true });
    expect(provider.nodes()[0]?.note).toBe(
      'It answers, but what services need cannot be put there: its disk is full. Its services are left alone.',
    );
    // Nor does it report a wrong key.
    keyMadeAt = ORDERED_AT + 1;
    provider = open();
    provider.nodes();
    expect(provider.trouble()).toBeNull();
  });

  it.each([
    ['ordered', null, 'ORDERED'],
    ['starting', null, 'BOOTING'],
    ['off', null, 'BOOTING'],
    ['off', ORDERED_AT, 'LOST'],
    ['deleting', ORDERED_AT, 'DELETING'],
  ] as const)('lists a machine that is %s, ready at %s, as %s', (was, readyAt, expected) => {
    change({ state: was, readyAt });
    expect(state()).toBe(expected);
  });

  it('releases a node once if it does not become ready in time, and reports why', async () => {
    contact = { kind: 'waiting', problem: 'SSH does not answer' };
    await provider.refresh();
    expect(calls).toEqual(['keep node-1']);
    now += 1;
    await provider.refresh();
    await provider.refresh();
    expect(calls.filter((call) => !call.startsWith('keep'))).toEqual([
      'failed node-1: SSH does not answer',
      'overdue node-1: NODE_OVERDUE',
      'release node-1',
    ]);
  });

  it('does not report a node as deleted elsewhere after releasing it itself', async () => {
    const told: string[] = [];
    // Only add() of the log is used.
    const log = { add: ({ message }: { message: string }) => told.push(message) } as unknown as EventLog;
    const news = new NodeEvents(log, () => now);
    news.see(provider);
    now += 1;
    await provider.refresh();
    expect(calls).toContain('release node-1');
    machine = null;
    news.see(provider);
    expect(told).toEqual([]);
  });

  it('keeps an overdue node while configure mode is on, and notes what to do', async () => {
    frozen = true;
    contact = { kind: 'waiting', problem: 'SSH does not answer' };
    now += 1;
    await provider.refresh();
    expect(calls).toEqual(['keep node-1']);
    expect(provider.nodes()[0]?.note).toBe(
      'It did not become ready in time: SSH does not answer. It stays while configure mode is on; release it by hand.',
    );
    frozen = false;
    await provider.refresh();
    expect(calls).toContain('release node-1');
  });

  it('stores once when a machine first was ready, and does not release it afterwards', async () => {
    contact = { kind: 'ready' };
    now += 1;
    await provider.refresh();
    await provider.refresh();
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    await provider.refresh();
    expect(calls.filter((call) => !call.startsWith('keep'))).toEqual([
      `remember node-1: ready at ${ORDERED_AT + 1}`,
    ]);
    expect(state()).toBe('READY');
  });

  it('measures the age of its own orders with the monotonic clock', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    readyWithinMs = 600_000;
    provider = open();
    await provider.rents?.order({ node: 'node-1', type: 'cpx32', location: 'nbg1', ramMb: 7_000 });
    await provider.refresh();
    now += 3_600_000;
    vi.advanceTimersByTime(599_999);
    await provider.refresh();
    expect(calls).not.toContain('release node-1');
    vi.advanceTimersByTime(1);
    await provider.refresh();
    expect(calls).toContain('release node-1');
  });

  it('reports a problem while its key is younger than nodes that it has never reached', () => {
    keyMadeAt = ORDERED_AT + 1;
    provider = open();
    change({ readyAt: ORDERED_AT });
    expect(provider.trouble()).toContain('Restore config/node_key');
    contact = { kind: 'ready' };
    expect(provider.nodes()[0]?.state).toBe('READY');
    expect(provider.trouble()).toBeNull();
    contact = { kind: 'silent', since: 1, problem: 'no answer' };
    expect(provider.trouble()).toBeNull();
  });

  it('connects only to machines that are on', async () => {
    change({ state: 'starting' });
    await provider.refresh();
    expect(calls).toEqual(['keep ']);
  });
});
