import { describe, expect, it } from 'vitest';
import { QueryThrottle } from '#master/admin/handlers/query-throttle.ts';

/** Keeps the CPU busy like an expensive query. */
function busyFor(ms: number): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

describe('QueryThrottle (limits slow queries)', () => {
  it('runs one query at a time, and pauses between queries so that other work can continue', async () => {
    const throttle = new QueryThrottle('questions');
    const order: string[] = [];
    let ticks = 0;
    const ticker = setInterval(() => (ticks += 1), 5);
    const ask = async (name: string): Promise<void> => {
      await throttle.run(() => busyFor(40));
      order.push(name);
    };
    await Promise.all(['a', 'b', 'c'].map(ask));
    clearInterval(ticker);
    expect(order).toEqual(['a', 'b', 'c']);
    // There are two pauses of 40 ms. Without pauses, the ticker would not run between the queries.
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  it('runs the next query even if the previous query failed', async () => {
    const throttle = new QueryThrottle('questions');
    const fail = (): never => {
      throw new Error('wrong');
    };
    await expect(throttle.run(fail)).rejects.toThrow('wrong');
    expect(await throttle.run(() => 1)).toBe(1);
  });

  it('rejects a query if too many queries are already waiting', async () => {
    const throttle = new QueryThrottle('questions');
    const asked = Array.from({ length: 30 }, () => throttle.run(() => 1));
    const settled = await Promise.allSettled(asked);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY' } });
    expect(await throttle.run(() => 2)).toBe(2);
  });
});
