import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ObservationCache } from '#master/control/loop/observation-cache.ts';

type Context = ConstructorParameters<typeof ObservationCache>[0];

let looks: number;
let processes: { spec: { id: string }; state: 'alive' | 'ended' }[];
let records: { id: string; node: string | null }[];
let cache: ObservationCache;

beforeEach(() => {
  vi.useFakeTimers();
  looks = 0;
  processes = [{ spec: { id: 'lobby-1' }, state: 'alive' }];
  records = [
    { id: 'lobby-1', node: 'local' },
    { id: 'lobby-2', node: null },
  ];
  const runtime = {
    observe: () => {
      looks += 1;
      return Promise.resolve(processes);
    },
  };
  cache = new ObservationCache({
    registry: { nodes: () => [{ id: 'local', silentSince: null }], setProblem: () => undefined },
    runtimeOf: () => runtime,
    records: {
      get all() {
        return records;
      },
    },
  } as unknown as Context);
  return () => vi.useRealTimers();
});

describe('ObservationCache (reuses reports of nodes about their processes)', () => {
  it('reuses a report for a few seconds if no event occurs', async () => {
    for (let round = 0; round < 4; round += 1) {
      expect((await cache.observe()).seen).toMatchObject([
        { node: 'local', process: { spec: { id: 'lobby-1' } } },
      ]);
      vi.advanceTimersByTime(1_000);
    }
    expect(looks).toBe(1);
    vi.advanceTimersByTime(1_000);
    await cache.observe();
    expect(looks).toBe(2);
  });

  it('requests a new report after an event, even if the event occurred during the last request', async () => {
    await cache.observe();
    cache.invalidate();
    const under = cache.observe();
    cache.invalidate();
    await under;
    await cache.observe();
    expect(looks).toBe(3);
  });

  it.each([
    ['a failure of a service', () => (records = [{ id: 'lobby-1', node: null }])],
    ['the removal of a service', () => (records = [])],
    ['the placement of a service', () => records.push({ id: 'lobby-3', node: 'local' })],
    ['a move of a service to another node', () => (records = [{ id: 'lobby-1', node: 'node-1' }])],
  ])('requests a new report after %s', async (_, happens) => {
    await cache.observe();
    happens();
    await cache.observe();
    expect(looks).toBe(2);
  });

  it('does not reuse a report that contains an exited process', async () => {
    processes = [{ spec: { id: 'lobby-1' }, state: 'ended' }];
    await cache.observe();
    await cache.observe();
    expect(looks).toBe(2);
  });

  it('requests a new report after a failed request', async () => {
    const broken = new ObservationCache({
      registry: {
        nodes: () => {
          looks += 1;
          throw new Error('no nodes');
        },
      },
    } as unknown as Context);
    await expect(broken.observe()).rejects.toThrow('no nodes');
    await expect(broken.observe()).rejects.toThrow('no nodes');
    expect(looks).toBe(2);
  });
});
