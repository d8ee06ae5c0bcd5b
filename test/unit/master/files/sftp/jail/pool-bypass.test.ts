import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PoolBypass } from '#master/files/sftp/jail/pool-bypass.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes a call slow: it takes 5 ms. */
function block(): void {
  vi.advanceTimersByTime(5);
}

const quick = (): Promise<string> => Promise.resolve('pool');
const slow = (): Promise<string> => {
  block();
  return quick();
};

describe('PoolBypass (runs fast file operations synchronously, without the thread pool)', () => {
  it('skips the thread pool after four fast operations in a row', async () => {
    const calls = new PoolBypass();
    const answers: string[] = [];
    for (const later of [quick, quick, quick, slow, quick, quick, quick, quick]) {
      answers.push(await calls.run(() => 'event loop', later));
    }
    expect(new Set(answers)).toEqual(new Set(['pool']));
    expect(await calls.run(() => 'event loop', quick)).toBe('event loop');
  });

  it('requires twice as many fast operations in a row after an operation has blocked the event loop', async () => {
    const calls = new PoolBypass();
    const quickCalls = async (): Promise<number> => {
      let pooled = 0;
      while ((await calls.run(() => 'event loop', quick)) === 'pool') pooled += 1;
      return pooled;
    };
    const needed: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      needed.push(await quickCalls());
      await calls.run(block, () => Promise.resolve());
    }
    expect(needed).toEqual([4, 8, 16, 32, 64, 64, 64]);
  });

  it('uses the thread pool again after a slow operation, even if this operation failed', async () => {
    const calls = new PoolBypass();
    calls.trust();
    const failing = calls.run(() => {
      block();
      throw new Error('no such file');
    }, quick);
    await expect(failing).rejects.toThrow('no such file');
    expect(await calls.run(() => 'event loop', quick)).toBe('pool');
  });
});
