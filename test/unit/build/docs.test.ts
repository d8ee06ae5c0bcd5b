import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { describeCommands, describedProgram } from '../../../build/scripts/docs/command-descriptions.ts';
import { MAN_PAGE, manPage } from '../../../build/scripts/docs/man-page.ts';
import { generatedPages } from '../../../build/scripts/docs/pages.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { errorCodes } from '#shared/errors/codes.ts';

const page = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('pages that are generated from the code', () => {
  it.each([...generatedPages()])(
    '%s is up to date (npx tsx build/scripts/docs.ts)',
    async (path, markdown) => {
      const options = await resolveConfig(new URL(`../../../${path}`, import.meta.url));
      expect(await page(path)).toBe(await format(markdown, { ...options, parser: 'markdown' }));
    },
  );

  it('the manual page is up to date (npx tsx build/scripts/docs.ts)', async () => {
    expect(await page(MAN_PAGE)).toBe(manPage());
  });

  it('the manual page and docs/commands.md name every command', async () => {
    const [manual, commands] = [await page(MAN_PAGE), await page('docs/commands.md')];
    const described = describeCommands(describedProgram());
    expect(described.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['status', 'service console', 'activity', 'completion']),
    );
    for (const { name, usage } of described) {
      expect(commands).toContain(`\n### ${name}\n`);
      expect(manual).toContain(`\n.SS "${usage.replaceAll('-', '\\-')}"\n`);
    }
  });

  it('each command that prints a result has the option --json, and docs/commands.md describes the JSON', async () => {
    const described = describeCommands(describedProgram());
    const withJson = described.filter(({ json }) => json !== null).map(({ name }) => name);
    const table = (await page('docs/commands.md')).split('## JSON\n')[1]?.split('## Commands\n')[0] ?? '';
    expect([...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)).toEqual(withJson);
    const sentencesOnly = described.filter(({ json }) => json === null).map(({ name }) => name);
    expect(sentencesOnly).toEqual([
      'run',
      'template hold',
      'template put-back',
      'template delete',
      'service stop',
      'service kill',
      'service restart',
      'service drain',
      'service console',
      'service files get',
      'service hold',
      'service put-back',
      'volume restore',
      'volume clone',
      'volume export',
      'volume import',
      'volume delete',
      'audit export',
      'node cordon',
      'node drain',
      'node release',
      'node resume',
      'node lock',
      'node unlock',
      'node hold',
      'node put-back',
      'node delete-foreign',
      'players kick',
      'players send',
      'completion',
    ]);
  });

  it('docs/errors.md lists exactly the existing error codes', async () => {
    const named = [...(await page('docs/errors.md')).matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(named).toEqual(Object.keys(errorCodes));
  });

  it('docs/configuration.md lists exactly the existing settings', async () => {
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
