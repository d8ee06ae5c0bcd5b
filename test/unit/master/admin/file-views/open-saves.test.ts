import { describe, expect, it } from 'vitest';
import { OpenSaves } from '#master/admin/file-views/open-saves.ts';
import type { SaveLease } from '#master/volumes/save-store.ts';
import type { Volume } from '#master/volumes/volume.ts';

/** Returns a volume whose saves can all be opened, except `broken`. */
function aVolume(): Volume {
  const lease = (save?: string): Promise<SaveLease | null> =>
    Promise.resolve(
      save === 'broken'
        ? null
        : { save: save ?? '', entries: [], pathOf: () => '', release: () => undefined },
    );
  // Only id and lease are used to open saves.
  return { id: 'survival/1', lease } satisfies Partial<Volume> as unknown as Volume;
}

/** Returns `use`, which uses a save until `finish` is called. */
function uses(open: OpenSaves, volume: Volume) {
  const running: string[] = [];
  let finish = (): void => undefined;
  const end = new Promise<void>((resolve) => (finish = resolve));
  const use = (save: string): Promise<void> =>
    open.use(volume, save, async () => {
      running.push(save);
      await end;
    });
  return { running, use, finish: () => finish() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('OpenSaves (limits how many saves are open for reading)', () => {
  it('opens at most four saves at a time, and lets reads of other saves wait', async () => {
    const open = new OpenSaves();
    const { running, use, finish } = uses(open, aVolume());
    const saves = Array.from({ length: 12 }, (_, index) => `save-${index}`);
    const all = Promise.all(saves.map(use));
    await turn();
    expect(running).toEqual(saves.slice(0, 4));
    expect(open.size).toBe(4);
    finish();
    await all;
    expect(running.toSorted()).toEqual(saves.toSorted());
    expect(open.size).toBeLessThanOrEqual(4);
  });

  it('opens a save only once, even if several reads use it at the same time', async () => {
    const open = new OpenSaves();
    const { running, use, finish } = uses(open, aVolume());
    const all = Promise.all(Array.from({ length: 12 }, () => use('save-1')));
    await turn();
    expect(running).toHaveLength(12);
    expect(open.size).toBe(1);
    finish();
    await all;
  });

  it('does not count a save that could not be opened', async () => {
    const open = new OpenSaves();
    const volume = aVolume();
    const { use, finish, running } = uses(open, volume);
    const all = Promise.all(['save-1', 'save-2', 'save-3'].map(use));
    const broken = open.use(volume, 'broken', () => undefined);
    const last = use('save-4');
    await expect(broken).rejects.toMatchObject({ code: 'SAVE_NOT_FOUND' });
    await turn();
    expect(running).toEqual(['save-1', 'save-2', 'save-3', 'save-4']);
    finish();
    await Promise.all([all, last]);
  });
});
