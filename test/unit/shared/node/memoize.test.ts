import { describe, expect, it } from 'vitest';
import { memoize } from '#shared/node/memoize.ts';

function search(answers: (string | null)[]) {
  let now = 0;
  let searches = 0;
  const ask = memoize(
    () => {
      searches += 1;
      return Promise.resolve(answers.shift() ?? null);
    },
    10,
    () => now,
  );
  return { ask, at: (ms: number) => (now = ms), searches: () => searches };
}

describe('memoize (caches the result of a function)', () => {
  it('does not call the function again while the result is valid', async () => {
    const { ask, at, searches } = search(['java', 'other']);
    expect(await ask()).toBe('java');
    at(9);
    expect(await ask()).toBe('java');
    expect(searches()).toBe(1);
  });

  it('calls the function again after the result has expired', async () => {
    const { ask, at } = search(['java', null]);
    await ask();
    at(10);
    expect(await ask()).toBeNull();
  });

  it('calls the function each time while the result is empty', async () => {
    const { ask, searches } = search([null, null, 'java']);
    expect([await ask(), await ask(), await ask()]).toEqual([null, null, 'java']);
    expect(searches()).toBe(3);
  });

  it('passes errors on without caching them', async () => {
    let fails = true;
    const ask = memoize(() => (fails ? Promise.reject(new Error('disk')) : Promise.resolve('java')), 10);
    await expect(ask()).rejects.toThrow('disk');
    fails = false;
    expect(await ask()).toBe('java');
  });
});
