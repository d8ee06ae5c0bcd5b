import { describe, expect, it } from 'vitest';
import { KeyedSlots } from '#shared/node/keyed-slots.ts';

const never = new AbortController().signal;

describe('KeyedSlots (limits simultaneous operations per key)', () => {
  it('limits each key separately, and starts waiting operations in the order of their arrival', async () => {
    const slots = new KeyedSlots(1);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (key: string, name: string): Promise<string> => {
      const task = async (): Promise<string> => {
        started.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      };
      return slots.run(key, task, never);
    };
    const all = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1'), run('a', 'a3')];
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual(['a1', 'b1']);
    for (const name of ['a1', 'b1', 'a2', 'a3']) {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('passes errors on, and frees the slots of failed and cancelled operations', async () => {
    const slots = new KeyedSlots(1);
    const fail = (): Promise<never> => Promise.reject(new Error('broken'));
    await expect(slots.run('a', fail, never)).rejects.toThrow('broken');
    const cancel = new AbortController();
    let end: () => void = () => undefined;
    const first = slots.run('a', () => new Promise<void>((resolve) => (end = resolve)), never);
    const second = slots.run('a', () => Promise.resolve('ran'), cancel.signal);
    cancel.abort(new Error('the client left'));
    await expect(second).rejects.toThrow('the client left');
    const third = slots.run('a', () => Promise.resolve('ran'), never);
    end();
    await first;
    expect(await third).toBe('ran');
  });
});
