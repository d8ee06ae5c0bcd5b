import { describe, expect, it } from 'vitest';
import { QueryThrottle } from '#master/admin/handlers/query-throttle.ts';
import { volumesHandlers } from '#master/admin/handlers/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';

const CALLER = { name: 'alice', templates: null } as never;
const SAVES = { from: '0123456789abcdef', to: 'fedcba9876543210' };

/** Returns handlers for 8 volumes, with saves that differ in `changed`. Reading a manifest takes a moment. */
function handlers(changed: readonly string[] = [], problem: string | null = null) {
  const reading = { now: 0, max: 0 };
  const read = async <T>(result: T): Promise<T> => {
    reading.now += 1;
    reading.max = Math.max(reading.max, reading.now);
    await new Promise((resolve) => setImmediate(resolve));
    reading.now -= 1;
    return result;
  };
  const all = Array.from({ length: 8 }, (_, index) => ({
    ...{ id: `survival/${index + 1}`, attachment: null, saving: false, problem },
    saves: () => [],
    storedBytes: () => read(1),
    compare: () => read({ added: [], removed: [], changed }),
  }));
  const damaged = problem === null ? [] : [{ id: 'survival/9', problem: new Error(problem) }];
  const volumes = { all, damaged, get: (id: string) => all.find((one) => one.id === id) };
  const config = { master: { config: masterConfigSchema.parse({}) } };
  const context = { volumes, config } as never;
  const parts = { context, commands: {} as never, saves: { nextSaveAt: () => null } as never };
  const comparisons = new QueryThrottle('waiting comparisons');
  return { ...volumesHandlers({ ...parts, comparisons }), reading };
}

describe('a query of the admin API about volumes', () => {
  it('compares saves one at a time, and is rejected if too many queries are waiting', async () => {
    const { 'volumes.compare': compare, reading } = handlers();
    const asked = Array.from({ length: 64 }, async () => compare({ id: 'survival/1', ...SAVES }, CALLER));
    const settled = await Promise.allSettled(asked);
    expect(reading.max).toBe(1);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(40);
    expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY' } });
  });

  it('is rejected if the differences do not fit into one message', async () => {
    const paths = Array.from({ length: 70_000 }, (_, n) => `world/${'x'.repeat(64)}/${n}`);
    const { 'volumes.compare': compare } = handlers(paths);
    await expect(compare({ id: 'survival/1', ...SAVES }, CALLER)).rejects.toMatchObject({
      code: 'TOO_MANY',
      details: { what: 'differing files' },
    });
  });

  it('reads the manifests of one volume at a time when it lists all volumes', async () => {
    const { 'volumes.list': list, reading } = handlers();
    expect(await list({}, CALLER)).toHaveLength(8);
    expect(reading.max).toBe(1);
  });

  it('shows the problem of a volume, which may name files, only to keys for its template', async () => {
    const { 'volumes.list': list } = handlers([], 'plugins/secret.yml cannot be read');
    const problemsFor = async (templates: readonly string[] | null) => {
      const listed = await list({}, { name: 'alice', templates } as never);
      return [...new Set(listed.map(({ problem }) => problem))];
    };
    for (const limit of [null, ['surv*']])
      expect(await problemsFor(limit)).toEqual(['plugins/secret.yml cannot be read']);
    expect(await problemsFor(['lobby'])).toEqual([
      expect.stringContaining('There is a problem with this volume.'),
    ]);
  });
});
