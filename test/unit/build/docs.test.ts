import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { generatedPages } from '../../../build/scripts/docs/pages.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { errorCodes } from '#shared/errors/codes.ts';

const page = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('pages generated from the code', () => {
  it.each([...generatedPages()])(
    '%s is up to date (npx tsx build/scripts/docs.ts)',
    async (path, markdown) => {
      const options = await resolveConfig(new URL(`../../../${path}`, import.meta.url));
      expect(await page(path)).toBe(await format(markdown, { ...options, parser: 'markdown' }));
    },
  );

  it('docs/errors.md names exactly the existing codes', async () => {
    const named = [...(await page('docs/errors.md')).matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(named).toEqual(Object.keys(errorCodes));
  });

  it('docs/configuration.md names exactly the existing fields', async () => {
    const fields = [templateConfigSchema, masterConfigSchema].flatMap((schema) => {
      const leaves = describeFields(schema);
      return [...leaves, ...leaves.flatMap((field) => field.entry ?? [])];
    });
    const named = [...(await page('docs/configuration.md')).matchAll(/^\| `([A-Za-z_.]+)`/gm)].map(
      ([, f]) => f,
    );
    expect(named).toEqual(fields.map((field) => field.path.join('.')));
  });
});
