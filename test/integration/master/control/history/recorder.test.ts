import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Recorder } from '#master/control/history/recorder.ts';
import { CostStore } from '#master/state/costs/cost-store.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';

import { RecordStore } from '#master/state/services/record-store.ts';
import { Topics } from '#master/state/feed/topics.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 2, 31, 22, 0, 5);

/** Creates a recorder's dependencies: a real folder, and a clock and a provider that the test controls. */
async function aNetwork(data = temporaryFolder()) {
  const world = { now: BEGIN, nodes: [] as NodeInfo[], listed: true };
  const config = await ConfigStore.open(data, (error) => expect.unreachable(String(error)));
  onTestFinished(() => config.close());
  const records = await RecordStore.open(join(data, 'state', 'services.json'));
  const topics = new Topics();
  const told: string[] = [];
  topics.subscribe((stale) => told.push(...stale));
  const known = {
    now: () => world.now,
    log: pino({ level: 'silent' }),
    config,
    records,
    overrides: await Overrides.open(join(data, 'state', 'holds.json')),
    topics,
    link: noLink(),
    proxies: noProxies(),
    registry: { nodes: () => world.nodes, listed: () => world.listed, market: () => ({ offers: [] }) },
    // Contains only the dependencies that a recorder uses.
  };
  const state = join(data, 'state');
  return {
    world,
    known,
    records,
    told,
    state,
    open: async () => {
      const costs = await CostStore.open(state, known);
      // Contains only the parts of the context that a recorder uses.
      return Recorder.open({ ...known, costs } as unknown as Parameters<typeof Recorder.open>[0], state);
    },
  };
}

function aRented(id: string, since: number, hourlyPrice = 0.02): NodeInfo {
  return {
    id,
    kind: 'hetzner',
    location: 'nbg1',
    state: 'READY',
    note: null,
    silentSince: null,
    unprepared: false,
    address: '10.0.0.4',
    ramMb: 7_168,
    startBudget: 2,
    hasJava: true,
    rental: { type: 'cpx32', since, hourlyPrice },
  };
}

/** Returns a node whose order the provider has not confirmed yet. */
function anOrdered(id: string, since: number, state: NodeInfo['state']): NodeInfo {
  return { ...aRented(id, since), state, address: '', isUnconfirmed: true };
}

describe('the recorder of history and costs', () => {
  it('loses at most the last minute if the master is killed', async () => {
    const { world, open, records, told, state } = await aNetwork();
    world.nodes = [aRented('node-1', BEGIN)];
    const record = records.add({
      id: 'lobby-1',
      template: 'lobby',
      requestedAt: 1,
      cause: 'x',
      manual: false,
    });
    Object.assign(record, {
      state: 'IN_USE',
      node: 'node-1',
      placed: { revision: 'r', ramMb: 1399, values: { isProxy: false, maxPlayers: 9 } },
    });
    const path = join(state, 'history.jsonl');
    const minute = (n: number): number => Date.UTC(2026, 2, 31, 22, n);
    const recorder = await open();
    for (let i = 0; i < 21; i++) {
      record.players = { online: i, max: 50 };
      recorder.sample();
      world.now += 10_000;
      // At this point the third minute is complete and the fourth has its first sample. Later samples are not on
      // disk when the master is killed.
      if (i === 18)
        await waitFor(async () => (await readFile(path, 'utf8')).includes(`"1h",${minute(3)},1,`));
    }
    expect(told).toEqual(['history', 'history', 'history']);
    const next = await open();
    const history = next.history('1h');
    expect(history.at.at(-1)).toBe(minute(3));
    expect(history.players.slice(-5)).toEqual([null, 2.5, 8.5, 14.5, 18]);
    expect(history.playersPeak.slice(-4)).toEqual([5, 11, 17, 18]);
    expect(history.ramAllocatedMb.at(-2)).toBe(1399);
    expect(history.ramTotalMb.at(-2)).toBe(7_168);
    expect(history.servicesUp.at(-2)).toBe(1);
    expect(history.services.at(-2)).toBe(1);
    expect(history.playerLimit.at(-2)).toBe(100);
    expect(history.costPerHour.at(-2)).toBeCloseTo(0.02, 9);
  });

  it('stores everything when it is closed, and shows a gap for the time without a master', async () => {
    const { world, open } = await aNetwork();
    const recorder = await open();
    recorder.sample();
    await recorder.close();
    world.now += 3 * MINUTE;
    const next = await open();
    next.sample();
    expect(next.history('1h').services.slice(-5)).toEqual([null, 0, null, null, 0]);
    expect(next.history('24h').services.slice(-2)).toEqual([null, 0]);
  });

  it('replaces a corrupt file, and keeps all other files', async () => {
    const { world, open, state } = await aNetwork();
    world.nodes = [aRented('node-1', BEGIN)];
    const recorder = await open();
    recorder.sample();
    await recorder.close();
    const path = join(state, 'history.jsonl');
    const text = await readFile(path, 'utf8');
    await writeFile(path, `${text.slice(0, -9)}\n\0\0{"torn`);
    await writeFile(join(state, 'costs.json'), '{"since":');
    const next = await open();
    expect(next.history('1h').services.at(-1)).toBe(0);
    expect(next.history('7d').services.at(-1)).toBeNull();
    expect(next.costs()).toEqual({
      perHour: 0.02,
      month: 0.02,
      monthSince: BEGIN,
      monthForecast: expect.any(Number) as number,
      rentedNodes: 1,
      canRent: true,
    });
    expect((await readdir(state)).filter((name) => name.includes('faulty'))).toEqual(['costs.faulty.json']);
    await writeFile(path, 'x'.repeat(2_000_000));
    expect((await open()).history('1h').services.every((value) => value === null)).toBe(true);
  });

  it('keeps the costs of nodes after a restart, after their release and at the end of a month', async () => {
    const network = await aNetwork();
    const { world, open } = network;
    const seen = async (): Promise<Recorder> => {
      const recorder = await open();
      recorder.sample();
      await recorder.close();
      return recorder;
    };
    world.nodes = [aRented('node-1', BEGIN, 1)];
    expect((await seen()).costs()).toEqual({
      perHour: 1,
      month: 1,
      monthSince: BEGIN,
      monthForecast: expect.any(Number) as number,
      rentedNodes: 1,
      canRent: true,
    });
    // Two hours later, in the next month, a second node exists. During this time, no master ran.
    world.now = BEGIN + 2 * HOUR + MINUTE;
    world.nodes = [aRented('node-1', BEGIN, 1), aRented('node-2', world.now, 0.5)];
    expect((await seen()).costs()).toEqual({
      perHour: 1.5,
      month: 1.5,
      monthSince: Date.UTC(2026, 3, 1),
      monthForecast: expect.any(Number) as number,
      rentedNodes: 2,
      canRent: true,
    });
    world.nodes = [];
    world.now += MINUTE;
    expect((await seen()).costs()).toMatchObject({ perHour: 0, month: 1.5, rentedNodes: 0 });
    world.now = Date.UTC(2026, 2, 31, 23);
    expect((await seen()).costs().month).toBe(2);
  });

  it('counts no hour twice if the nodes of the provider are unknown for a while', async () => {
    const { world, open } = await aNetwork();
    world.nodes = [aRented('node-1', BEGIN - 5 * HOUR)];
    const first = await open();
    first.sample();
    const { month } = first.costs();
    await first.close();
    const known = world.nodes;
    Object.assign(world, { nodes: [], listed: false });
    const next = await open();
    next.sample();
    Object.assign(world, { nodes: known, listed: true });
    next.sample();
    expect(next.costs().month).toBe(month);
  });

  it('counts the first hour of a node once, whatever creation time the provider reports for its server', async () => {
    const { world, open } = await aNetwork();
    const recorder = await open();
    world.nodes = [anOrdered('node-1', BEGIN, 'ORDERED')];
    recorder.sample();
    expect(recorder.costs()).toMatchObject({ perHour: 0.02, month: 0.02 });
    world.now += 10_000;
    world.nodes = [aRented('node-1', BEGIN + 3_000)];
    recorder.sample();
    expect(recorder.costs()).toMatchObject({ perHour: 0.02, month: 0.02 });
    await recorder.close();
    expect((await open()).costs().month).toBeCloseTo(0.02, 9);
  });

  it('counts no costs for an order that creates no server, even after a cancellation and a restart', async () => {
    const { world, open } = await aNetwork();
    const recorder = await open();
    for (const state of ['ORDERED', 'DELETING'] as const) {
      world.nodes = [anOrdered('node-1', BEGIN, state)];
      recorder.sample();
      world.now += 10_000;
    }
    await recorder.close();
    const next = await open();
    next.sample();
    world.nodes = [];
    next.sample();
    expect(next.costs()).toMatchObject({ perHour: 0, month: 0, rentedNodes: 0 });
  });

  it('stores the history, but no costs, if there are no cloud nodes', async () => {
    const { world, open, state } = await aNetwork();
    const recorder = await open();
    recorder.sample();
    await expect(stat(join(state, 'history.jsonl'))).rejects.toThrow('ENOENT');
    for (let i = 0; i < 6; i++) {
      world.now += 10_000;
      recorder.sample();
    }
    await recorder.close();
    expect(await readdir(state)).toEqual(['history.jsonl']);
    expect((await stat(join(state, 'history.jsonl'))).mode & 0o777).toBe(0o600);
  });
});
