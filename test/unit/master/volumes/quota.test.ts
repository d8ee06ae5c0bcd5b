import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QuotaClaims, withQuota } from '#master/volumes/quota.ts';

const MB = 2 ** 20;

/**
 * Creates a disk for saves of several volumes, with one quota for all volumes.
 *
 * @param count simulates how long counting the stored bytes takes; the result is their number at the start of the
 *   count
 */
function disk(totalMb: number, count: () => Promise<unknown> = () => Promise.resolve()) {
  let stored = 0;
  const claims = new QuotaClaims(async () => {
    const found = stored;
    await count();
    return found;
  });
  return {
    storedMb: () => stored / MB,
    /**
     * Saves `mb` MB of new content. Checks the quota before and after the transfer. `wait` simulates the transfer,
     * and again the storing.
     */
    save: (mb: number, wait: () => Promise<unknown> = () => Promise.resolve()): Promise<void> => {
      const facts = {
        volume: 'survival/1',
        settings: () => ({ quota: { perVolume: -1, total: totalMb } }),
        claims,
        known: () => new Set(['known']),
      };
      return withQuota(facts, async (requireQuota) => {
        const files = [
          { hash: 'new', size: mb * MB },
          { hash: 'known', size: 500 * MB },
        ];
        await requireQuota(files);
        await wait();
        await requireQuota(files);
        await wait();
        stored += mb * MB;
      });
    },
  };
}

describe('the total quota for all volumes', () => {
  it('is not exceeded by saves that are stored at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 8 }),
        async (scheduler, sizes) => {
          const step = () => scheduler.schedule(Promise.resolve());
          const { save, storedMb } = disk(100, step);
          const saves = sizes.map((mb) => save(mb, step).catch(() => null));
          await scheduler.waitFor(Promise.all(saves));
          expect(storedMb()).toBeLessThanOrEqual(100);
        },
      ),
    );
  });

  it('counts a save that is stored while the used space is measured for another save', async () => {
    let stored = 0;
    const counts: (() => void)[] = [];
    const claims = new QuotaClaims(async () => {
      const found = stored;
      await new Promise<void>((resolve) => counts.push(resolve));
      return found;
    });
    const first = claims.begin();
    first.set(60);
    const taken: number[] = [];
    const second = claims.begin().claim(60, (bytes) => void taken.push(bytes));
    stored += 60;
    first.set(0);
    counts.shift()?.();
    // The stored bytes are counted again, because the first save has ended.
    await new Promise(setImmediate);
    counts.shift()?.();
    await second;
    expect(taken).toEqual([120]);
  });

  it('refuses a save while another save may use the space, and accepts it if the other save fails', async () => {
    const { save, storedMb } = disk(100);
    let fail: (error: Error) => void = () => undefined;
    const first = save(60, () => new Promise((_, reject) => (fail = reject)));
    await expect(save(60)).rejects.toMatchObject({
      code: 'VOLUME_QUOTA',
      details: { setting: 'volumes.quota.total', needsMb: 120, limitMb: 100 },
    });
    fail(new Error('the connection was lost'));
    await expect(first).rejects.toThrow('the connection was lost');
    await save(60);
    expect(storedMb()).toBe(60);
  });

  it('accepts a save without new content even if the quota is exceeded', async () => {
    const { save } = disk(0);
    await expect(save(0)).resolves.toBeUndefined();
    await expect(save(1)).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
  });
});
