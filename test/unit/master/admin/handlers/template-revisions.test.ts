import { expect, it } from 'vitest';
import { QueryThrottle } from '#master/admin/handlers/query-throttle.ts';
import { templateRevisionHandlers } from '#master/admin/handlers/template-revisions.ts';

const CALLER = { name: 'alice' } as never;
const REQUEST = { id: 'lobby', from: 'a', to: 'b' };

/** Returns the handler that compares revisions, for templates whose comparisons do `compare`. */
function handlerWith(compare: () => Promise<unknown>) {
  const context = { templates: { compare }, config: { template: () => undefined } } as never;
  return templateRevisionHandlers(context, new QueryThrottle('waiting comparisons'))[
    'templates.compareRevisions'
  ];
}

it('a comparison of revisions is rejected if the differences do not fit into one message', async () => {
  const differences = { added: [''], removed: [''], changed: [''] };
  const compare = handlerWith(() => Promise.resolve(differences));

  const paths = Array.from({ length: 30_000 }, (_, n) => `plugins/${'x'.repeat(64)}/${n}`);
  differences.removed = paths;
  expect(await compare(REQUEST, CALLER)).toBe(differences);
  differences.added = paths;
  await expect(compare(REQUEST, CALLER)).rejects.toMatchObject({
    code: 'TOO_MANY',
    details: { what: 'differing files', limit: expect.any(Number) as number },
  });
});

it('compares revisions one at a time, and rejects a comparison if too many are waiting', async () => {
  const reading = { now: 0, max: 0 };
  const compare = handlerWith(async () => {
    reading.now += 1;
    reading.max = Math.max(reading.max, reading.now);
    await new Promise((resolve) => setImmediate(resolve));
    reading.now -= 1;
    return { added: [], removed: [], changed: [] };
  });
  const settled = await Promise.allSettled(Array.from({ length: 64 }, async () => compare(REQUEST, CALLER)));
  expect(reading.max).toBe(1);
  const refused = settled.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(40);
  expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY' } });
});
