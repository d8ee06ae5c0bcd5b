import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { transferSchema } from '#shared/ipc/contract.ts';
import { TransferQueue } from '#main/transfers/queue/transfer-queue.ts';

const error = toWire(new OverworldError('TRANSFER_FAILED', { path: '/files/a', why: 'test' }));
const half = {
  step: 'copying' as const,
  files: { done: 0, total: 1 },
  bytes: { done: 50, total: 100 },
  bytesPerSecond: 10,
  remainingMs: 5000,
  skipped: 2,
};

function add(queue: TransferQueue, ids: readonly string[], connection = 'home'): void {
  for (const id of ids) {
    const place = { localPath: `/home/${id}`, remotePath: `/files/${id}`, connection };
    queue.add({ id, direction: 'upload', move: false, name: id, ...place, files: 1, bytes: 100 });
  }
}

function begun(...ids: readonly string[]): TransferQueue {
  const queue = new TransferQueue(3, 'home');
  add(queue, ids);
  for (const id of queue.startable()) queue.begin(id, 1);
  return queue;
}

const states = (queue: TransferQueue) => queue.list().map(({ id, state }) => `${id} ${state}`);

describe('TransferQueue (runs uploads and downloads)', () => {
  it('runs the oldest transfers up to the limit, and the next one when a transfer ends', () => {
    const queue = begun('a', 'b', 'c', 'd', 'e');
    expect(states(queue)).toEqual(['a running', 'b running', 'c running', 'd queued', 'e queued']);
    queue.finish('b', 2);
    expect(queue.startable()).toEqual(['d']);
    queue.setLimit(4);
    expect(queue.startable()).toEqual(['d', 'e']);
    queue.setLimit(1);
    expect(queue.startable()).toEqual([]);
    expect(queue.get('a')?.state).toBe('running');
  });

  it('does not start a transfer again while its earlier run is still ending', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.pause('a');
    queue.resume('a');
    expect(queue.startable(new Set(['a', 'b', 'c']))).toEqual([]);
    expect(queue.startable(new Set(['b', 'c']))).toEqual(['a']);
  });

  it('does not cancel a move that has started to remove its source, whether it runs, is paused or waits', () => {
    const queue = begun('a', 'b', 'c');
    for (const id of ['a', 'b', 'c']) queue.progress(id, { ...half, step: 'removing' });
    queue.pause('b');
    queue.setConnection(null);
    queue.interrupt('c', error);
    for (const id of ['a', 'b', 'c']) queue.cancel(id);
    expect(states(queue)).toEqual(['a running', 'b paused', 'c waiting']);
    queue.setConnection('home');
    queue.resume('b');
    for (const id of ['b', 'c']) queue.begin(id, 2);
    for (const id of ['a', 'b', 'c']) queue.finish(id, 3);
    expect(states(queue)).toEqual(['a done', 'b done', 'c done']);
  });

  it('marks a transfer as cancelled only after its unfinished files were deleted', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.cancel('a');
    queue.progress('a', half);
    expect(queue.get('a')).toMatchObject({ state: 'cancelling', bytes: { done: 0 }, endedAt: null });
    expect(queue.startable()).toEqual([]);
    queue.cancelled('a', 3);
    expect(queue.get('a')).toMatchObject({ state: 'cancelled', error: null, endedAt: 3 });
    expect(queue.startable()).toEqual(['d']);
  });

  it('marks a transfer as done if it ended before it could be cancelled or paused', () => {
    const queue = begun('a', 'b');
    queue.cancel('a');
    queue.finish('a', 3);
    queue.cancelled('a', 4);
    queue.pause('b');
    queue.finish('b', 3);
    expect(states(queue)).toEqual(['a done', 'b done']);
    expect(queue.get('a')?.endedAt).toBe(3);
  });

  it('pauses running, waiting and queued transfers, and resumes them with their progress', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.progress('a', half);
    for (const id of ['a', 'd']) expect(queue.pause(id)).toBe(true);
    expect(queue.get('a')).toMatchObject({ ...half, state: 'paused', bytesPerSecond: 0, remainingMs: null });
    expect(queue.pause('a')).toBe(false);
    queue.setConnection(null);
    queue.resume('a');
    expect(states(queue)).toEqual(['a waiting', 'b running', 'c running', 'd paused']);
    queue.setConnection('home');
    expect(states(queue)).toEqual(['a queued', 'b running', 'c running', 'd paused']);
  });

  it('lets a transfer wait while another connection is active', () => {
    const queue = begun('a');
    add(queue, ['x'], 'away');
    queue.setConnection(null);
    queue.interrupt('a', error);
    expect(queue.get('a')).toMatchObject({ state: 'waiting', error, endedAt: null });
    queue.setConnection('away');
    expect(states(queue)).toEqual(['a waiting', 'x queued']);
    queue.setConnection('home');
    expect(states(queue)).toEqual(['a queued', 'x waiting']);
    expect(queue.get('a')?.error).toBeNull();
  });

  it('moves a transfer to the end of the queue when the user retries it', () => {
    const queue = begun('a', 'b');
    queue.progress('a', half);
    queue.fail('a', error, 2);
    expect(queue.retry('a')).toBe(true);
    expect(states(queue)).toEqual(['b running', 'a queued']);
    expect(queue.get('a')).toMatchObject({ bytes: { done: 0, total: 100 }, error: null, endedAt: null });
    expect(queue.retry('b')).toBe(false);
    expect(queue.retry('nothing')).toBe(false);
  });

  it('restores stored transfers: a running one as queued, a paused one as paused', () => {
    const before = begun('run', 'held', 'done', 'queued');
    before.pause('held');
    before.finish('done', 2);
    for (const [connection, open] of [
      ['home', 'queued'],
      [null, 'waiting'],
      ['away', 'waiting'],
    ] as const) {
      const queue = new TransferQueue(3, connection);
      for (const transfer of before.list()) queue.restore(transfer);
      expect(states(queue)).toEqual([`run ${open}`, 'held paused', 'done done', `queued ${open}`]);
    }
  });

  it('removes only finished and failed transfers when the user clears the list', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.finish('a', 2);
    queue.fail('b', error, 2);
    expect(queue.clear()).toEqual(['a', 'b']);
    expect(states(queue)).toEqual(['c running', 'd queued']);
  });

  it('keeps at most 500 transfers that have ended', () => {
    const queue = new TransferQueue(3, 'home');
    for (let n = 0; n < 700; n++) {
      add(queue, [`t${n}`]);
      queue.begin(`t${n}`, n);
      queue.finish(`t${n}`, n);
    }
    expect(queue.list()).toHaveLength(500);
    expect(queue.get('t699')).toBeDefined();
    expect(queue.get('t0')).toBeUndefined();
  });

  it('respects the limit, the active connection and the schema after any sequence of operations', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'x'];
    interface World {
      queue: TransferQueue;
      connection: string | null;
    }
    const connect = (world: World, next: string | null) => {
      world.connection = next;
      world.queue.setConnection(next);
    };
    const steps: Record<string, (world: World, id: string) => void> = {
      start: ({ queue, connection }) => {
        for (const next of queue.startable()) {
          expect(queue.get(next)?.connection).toBe(connection);
          queue.begin(next, 1);
        }
      },
      finish: ({ queue }, id) => queue.finish(id, 2),
      fail: ({ queue }, id) => queue.fail(id, error, 2),
      cancel: ({ queue }, id) => queue.cancel(id),
      cancelled: ({ queue }, id) => queue.cancelled(id, 2),
      retry: ({ queue }, id) => void queue.retry(id),
      pause: ({ queue }, id) => void queue.pause(id),
      resume: ({ queue }, id) => queue.resume(id),
      interrupt: ({ queue }, id) => queue.interrupt(id, error),
      lose: (world) => connect(world, null),
      connect: (world) => connect(world, 'home'),
      switch: (world) => connect(world, 'away'),
      restart: (world) => {
        const next = new TransferQueue(2, world.connection);
        for (const transfer of world.queue.list()) next.restore(transfer);
        world.queue = next;
      },
    };
    const script = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.constantFrom(...ids)), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(script, (all) => {
        const world: World = { queue: new TransferQueue(2, 'home'), connection: 'home' };
        add(world.queue, ids.slice(0, 5));
        add(world.queue, ['x'], 'away');
        for (const [step, id] of all) {
          steps[step]?.(world, id);
          const transfers = world.queue.list().map((transfer) => transferSchema.parse(transfer));
          expect(transfers.map((transfer) => transfer.id).sort()).toEqual(ids);
          expect(transfers.filter(({ state }) => state === 'running').length).toBeLessThanOrEqual(2);
          for (const { state, endedAt, error: why, connection } of transfers) {
            expect(endedAt !== null).toBe(['done', 'failed', 'cancelled'].includes(state));
            if (state === 'failed') expect(why).not.toBeNull();
            if (state === 'queued') expect(connection).toBe(world.connection);
            if (state === 'waiting') expect(connection).not.toBe(world.connection);
          }
        }
      }),
    );
  });
});
