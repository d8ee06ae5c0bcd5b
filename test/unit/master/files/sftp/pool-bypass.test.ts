import { describe, expect, it } from 'vitest';
import { PoolBypass } from '#master/files/sftp/pool-bypass.ts';

/** Keeps the event loop busy for longer than a quick call takes. */
function block(): void {
  const begun = performance.now();
  while (performance.now() - begun < 5);
}

const quick = (): Promise<string> => Promise.resolve('pool');
const slow = (): Promise<string> => {
  block();
  return quick();
};

describe('PoolBypass', () => {
  it('bypasses the pool after four quick calls in a row', async () => {
    const calls = new PoolBypass();
    const answers: string[] = [];
    for (const later of [quick, quick, quick, slow, quick, quick, quick, quick]) {
      answers.push(await calls.run(() => 'event loop', later));
    }
    expect(new Set(answers)).toEqual(new Set(['pool']));
    expect(await calls.run(() => 'event loop', quick)).toBe('event loop');
  });

  it('returns to the pool after a slow call, even one that fails', async () => {
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
