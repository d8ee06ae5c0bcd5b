import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { transferSchema } from '#shared/ipc/contract.ts';
import { MAX_RUNNING, TransferQueue } from '#main/sftp/transfer-queue.ts';

const error = toWire(new OverworldError('TRANSFER_FAILED', { path: '/files/a', why: 'test' }));
const half = { files: { done: 0, total: 1 }, bytes: { done: 50, total: 100 }, bytesPerSecond: 10 };

function add(queue: TransferQueue, ...ids: readonly string[]): void {
  for (const id of ids) {
    const place = { localPath: `/home/${id}`, remotePath: `/files/${id}` };
    queue.add({ id, direction: 'upload', name: id, ...place, files: 1, bytes: 100 });
  }
}

function begun(...ids: readonly string[]): TransferQueue {
  const queue = new TransferQueue();
  add(queue, ...ids);
  for (const id of queue.startable()) queue.begin(id, 1);
  return queue;
}

const states = (queue: TransferQueue) => queue.list().map(({ id, state }) => `${id} ${state}`);

describe('the transfer queue', () => {
  it('runs three at a time, the oldest first, and takes up the next when one ends', () => {
    const queue = begun('a', 'b', 'c', 'd', 'e');
    expect(states(queue)).toEqual(['a running', 'b running', 'c running', 'd queued', 'e queued']);
    queue.finish('b', 2);
    expect(queue.startable()).toEqual(['d']);
  });

  it('is cancelled when its rest is gone, not when that is asked', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.cancel('a', 2);
    queue.progress('a', half);
    expect(queue.get('a')).toMatchObject({ state: 'cancelling', bytes: { done: 0 }, endedAt: null });
    expect(queue.startable()).toEqual([]);
    queue.fail('a', error, 3);
    expect(queue.get('a')).toMatchObject({ state: 'cancelled', error: null, endedAt: 3 });
    expect(queue.startable()).toEqual(['d']);
  });

  it('says that it is done when the cancel came too late', () => {
    const queue = begun('a');
    queue.cancel('a', 2);
    queue.finish('a', 3);
    expect(queue.get('a')).toMatchObject({ state: 'done', endedAt: 3 });
  });

  it('cancels at once what has not begun', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.cancel('d', 2);
    expect(queue.get('d')).toMatchObject({ state: 'cancelled', endedAt: 2 });
  });

  it('leaves one alone that has ended when it is cancelled', () => {
    const queue = begun('a');
    queue.finish('a', 2);
    queue.cancel('a', 3);
    expect(queue.get('a')).toMatchObject({ state: 'done', endedAt: 2 });
  });

  it('tries again from the beginning, behind those that wait', () => {
    const queue = begun('a', 'b');
    queue.progress('a', half);
    queue.fail('a', error, 2);
    expect(queue.retry('a')).toBe(true);
    expect(states(queue)).toEqual(['b running', 'a queued']);
    expect(queue.get('a')).toMatchObject({ bytes: { done: 0, total: 100 }, error: null, endedAt: null });
    expect(queue.retry('b')).toBe(false);
    expect(queue.retry('nothing')).toBe(false);
  });

  it('forgets all that have ended, and only those', () => {
    const queue = begun('a', 'b', 'c', 'd');
    queue.finish('a', 2);
    queue.fail('b', error, 2);
    expect(queue.clear()).toEqual(['a', 'b']);
    expect(states(queue)).toEqual(['c running', 'd queued']);
  });

  it('does not grow without end', () => {
    const queue = new TransferQueue();
    for (let n = 0; n < 700; n++) {
      add(queue, `t${n}`);
      queue.begin(`t${n}`, n);
      queue.finish(`t${n}`, n);
    }
    expect(queue.list()).toHaveLength(500);
    expect(queue.get('t699')).toBeDefined();
    expect(queue.get('t0')).toBeUndefined();
  });

  it('never runs more than three and always fits the contract, whatever is asked of it', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.tuple(
      fc.constantFrom('start', 'finish', 'fail', 'cancel', 'retry'),
      fc.constantFrom(...ids),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new TransferQueue();
        add(queue, ...ids);
        for (const [what, id] of steps) {
          if (what === 'start') for (const next of queue.startable()) queue.begin(next, 1);
          else if (what === 'finish') queue.finish(id, 2);
          else if (what === 'fail') queue.fail(id, error, 2);
          else if (what === 'cancel') queue.cancel(id, 2);
          else queue.retry(id);
          const all = queue.list().map((transfer) => transferSchema.parse(transfer));
          expect(all).toHaveLength(ids.length);
          expect(all.filter(({ state }) => /running|cancelling/.test(state)).length).toBeLessThanOrEqual(
            MAX_RUNNING,
          );
          for (const { state, endedAt, error: why } of all) {
            expect(endedAt !== null).toBe(!['queued', 'running', 'cancelling'].includes(state));
            expect(why !== null).toBe(state === 'failed');
          }
        }
      }),
    );
  });
});
