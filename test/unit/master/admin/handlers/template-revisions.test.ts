import { expect, it } from 'vitest';
import { templateRevisionHandlers } from '#master/admin/handlers/template-revisions.ts';

const CALLER = { name: 'alice' } as never;

it('a comparison of revisions is rejected if the differences do not fit into one message', async () => {
  const differences = { added: [''], removed: [''], changed: [''] };
  const templates = { compare: () => Promise.resolve(differences) };
  const context = { templates, config: { template: () => undefined } } as never;
  const { 'templates.compareRevisions': compare } = templateRevisionHandlers(context);
  const request = { id: 'lobby', from: 'a', to: 'b' };

  const paths = Array.from({ length: 30_000 }, (_, n) => `plugins/${'x'.repeat(64)}/${n}`);
  differences.removed = paths;
  expect(await compare(request, CALLER)).toBe(differences);
  differences.added = paths;
  await expect(compare(request, CALLER)).rejects.toMatchObject({
    code: 'TOO_MANY',
    details: { what: 'differing files', limit: expect.any(Number) as number },
  });
});
