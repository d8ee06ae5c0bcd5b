import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachLimited } from '#shared/node/for-each-limited.ts';

describe('forEachLimited (runs a function for several items at the same time)', () => {
  it('processes each item once, and never more items at a time than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), async (items, limit) => {
        const seen: number[] = [];
        let running = 0;
        let most = 0;
        await forEachLimited(new Set(items.entries()), limit, async ([, item]) => {
          running += 1;
          most = Math.max(most, running);
          await Promise.resolve();
          running -= 1;
          seen.push(item);
        });
        expect(seen.sort()).toEqual([...items].sort());
        expect(most).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('throws the error of an item after all running items have ended', async () => {
    const started: number[] = [];
    let finished = 0;
    const work = async (item: number): Promise<void> => {
      started.push(item);
      if (item === 0) throw new Error('the first one fails');
      await Promise.resolve();
      finished += 1;
    };
    await expect(forEachLimited([0, 1, 2, 3, 4], 2, work)).rejects.toThrow('the first one fails');
    expect(started).toEqual([0, 1]);
    expect(finished).toBe(1);
  });
});
