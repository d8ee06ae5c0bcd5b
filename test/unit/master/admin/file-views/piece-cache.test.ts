import { describe, expect, it, vi } from 'vitest';
import { PieceCache } from '#master/admin/file-views/piece-cache.ts';

describe('PieceCache (caches pieces of files)', () => {
  it('requests a piece only once for all reads within two seconds', async () => {
    let now = 0;
    const cache = new PieceCache<number>({ clock: () => now });
    let fetched = 0;
    const get = () => cache.get('a', () => Promise.resolve((fetched += 1)));
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    now = 1_999;
    expect(await get()).toBe(1);
    now = 2_000;
    expect(await get()).toBe(2);
  });

  it('requests a piece again after a failed request', async () => {
    const cache = new PieceCache<number>();
    await expect(cache.get('a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(cache.size).toBe(0);
    expect(await cache.get('a', () => Promise.resolve(1))).toBe(1);
  });

  it('removes the oldest piece when it reaches its maximum number of pieces', async () => {
    const cache = new PieceCache<string>({ maxPieces: 2 });
    const get = (key: string) => cache.get(key, () => Promise.resolve(key));
    for (const key of ['a', 'b', 'c']) await get(key);
    expect(cache.size).toBe(2);
    // The oldest piece was removed.
    expect(await cache.get('b', () => Promise.resolve('again'))).toBe('b');
    expect(await cache.get('a', () => Promise.resolve('again'))).toBe('again');
  });

  it('removes a piece a few seconds after the last read', () => {
    vi.useFakeTimers();
    try {
      let now = 0;
      const cache = new PieceCache<number>({ clock: () => now });
      void cache.get('a', () => Promise.resolve(1));
      now = 1_000;
      vi.advanceTimersByTime(2_000);
      expect(cache.size).toBe(1);
      now = 4_000;
      vi.advanceTimersByTime(2_000);
      expect(cache.size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
