import { describe, expect, it } from 'vitest';
import { Slots } from '#shared/node/slots.ts';

const never = new AbortController().signal;

describe('Slots (limits simultaneous operations)', () => {
  it('starts one operation per slot, and the other operations in the order of their arrival', async () => {
    const slots = new Slots(2);
    const order: number[] = [];
    const releases: (() => void)[] = [];
    const all = [1, 2, 3, 4].map(async (who) => {
      releases.push(await slots.acquire(never));
      order.push(who);
    });
    await Promise.all(all.slice(0, 2));
    expect(order).toEqual([1, 2]);
    releases[0]?.();
    await all[2];
    expect(order).toEqual([1, 2, 3]);
    releases[1]?.();
    await all[3];
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('frees a slot only once, even if it is released twice', async () => {
    const slots = new Slots(1);
    const release = await slots.acquire(never);
    release();
    release();
    await slots.acquire(never);
    const order: string[] = [];
    const waits = slots.acquire(never).then(() => order.push('waiting'));
    await Promise.resolve();
    expect(order).toEqual([]);
    const givenUp = new AbortController();
    const gives = slots.acquire(givenUp.signal);
    givenUp.abort(new Error('no time'));
    await expect(gives).rejects.toThrow('no time');
    await expect(slots.acquire(givenUp.signal)).rejects.toThrow('no time');
    void waits;
  });

  it('skips a waiting operation that was cancelled', async () => {
    const slots = new Slots(1);
    const release = await slots.acquire(never);
    const impatient = new AbortController();
    const gone = slots.acquire(impatient.signal);
    const patient = slots.acquire(never);
    impatient.abort(new Error('no time'));
    await expect(gone).rejects.toThrow('no time');
    release();
    expect(await patient).toBeTypeOf('function');
  });
});
