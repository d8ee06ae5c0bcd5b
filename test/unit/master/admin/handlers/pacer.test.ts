import { describe, expect, it } from 'vitest';
import { Pacer } from '#master/admin/handlers/pacer.ts';

/** Keeps the processor busy, as a heavy question does. */
function busyFor(ms: number): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

describe('heavy questions', () => {
  it('are answered in turn, with rests in which others get theirs', async () => {
    const pacer = new Pacer('questions');
    const order: string[] = [];
    let ticks = 0;
    const ticker = setInterval(() => (ticks += 1), 5);
    const ask = async (name: string): Promise<void> => {
      await pacer.run(() => busyFor(40));
      order.push(name);
    };
    await Promise.all(['a', 'b', 'c'].map(ask));
    clearInterval(ticker);
    expect(order).toEqual(['a', 'b', 'c']);
    // Two rests of 40 ms; without them the ticker would not be heard between the questions.
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  it('goes on after one that fails', async () => {
    const pacer = new Pacer('questions');
    const fail = (): never => {
      throw new Error('wrong');
    };
    await expect(pacer.run(fail)).rejects.toThrow('wrong');
    expect(await pacer.run(() => 1)).toBe(1);
  });

  it('are refused when too many wait', async () => {
    const pacer = new Pacer('questions');
    const asked = Array.from({ length: 30 }, () => pacer.run(() => 1));
    const settled = await Promise.allSettled(asked);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY' } });
    expect(await pacer.run(() => 2)).toBe(2);
  });
});
