import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, mergeVersions, sideOf, threeWay } from '#renderer/view/form/form-changes.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';

const fields = describeFields(templateConfigSchema);
const base = templateConfigSchema.parse({});

describe('the three versions of a document: base, theirs and mine', () => {
  const theirs = { ...base, priority: 5, maxPlayers: 80, isFallback: true };
  const mine = { ...base, maxPlayers: 60, name: 'Mine', isFallback: true };
  const rows = threeWay(fields, { base, theirs, mine });

  it('are compared setting by setting, in the order of the settings', () => {
    expect(rows.map((row) => [row.path, row.base, row.theirs, row.mine, row.changedBy])).toEqual([
      ['name', '<template_name>', '<template_name>', 'Mine', 'mine'],
      ['priority', 1, 5, 1, 'theirs'],
      ['isFallback', false, true, true, 'alike'],
      ['maxPlayers', 1, 80, 60, 'both'],
    ]);
  });

  it('require a decision only about conflicting changes', () => {
    expect(rows.map((row) => sideOf(row, {}))).toEqual(['mine', 'theirs', 'theirs', undefined]);
    expect(rows.map((row) => sideOf(row, { maxPlayers: 'base', priority: 'mine' }))).toEqual([
      'mine',
      'mine',
      'theirs',
      'base',
    ]);
  });

  it.each([
    [{ maxPlayers: 'theirs' }, { name: 'Mine', priority: 5, maxPlayers: 80 }],
    [{ maxPlayers: 'mine' }, { name: 'Mine', priority: 5, maxPlayers: 60 }],
    [
      { maxPlayers: 'base', name: 'theirs' },
      { name: '<template_name>', priority: 5, maxPlayers: 1 },
    ],
  ] as const)('are merged according to the decisions %j', (choices, want) => {
    expect(mergeVersions(fields, { base, theirs, mine }, choices)).toEqual({
      ...base,
      isFallback: true,
      ...want,
    });
  });

  it('are also merged inside sections', () => {
    const all = describeFields(masterConfigSchema);
    const start = masterConfigSchema.parse({});
    const there = { ...start, provider: { ...start.provider, location: 'fsn1' } };
    const here = { ...start, provider: { ...start.provider, ssh_keys: ['a'] } };
    expect(mergeVersions(all, { base: start, theirs: there, mine: here }, {})).toEqual({
      ...start,
      provider: { ...start.provider, location: 'fsn1', ssh_keys: ['a'] },
    });
  });

  it("are merged without losing the user's changes, or other people's changes to other settings", () => {
    const edit = fc.record(
      {
        priority: fc.integer({ min: 0, max: 9 }),
        maxPlayers: fc.integer({ min: 1, max: 9 }),
        isFallback: fc.boolean(),
        defaultServiceFiles: fc.array(fc.constant({ path: 'a', destination: 'b' }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(edit, edit, (their, my) => {
        const versions = { base, theirs: { ...base, ...their }, mine: { ...base, ...my } };
        const merged = mergeVersions(fields, versions, {});
        const myPaths = changesBetween(fields, base, versions.mine);
        for (const { path, to } of myPaths) expect(merged[path]).toEqual(to);
        for (const { path, to } of changesBetween(fields, base, versions.theirs)) {
          if (!myPaths.some((change) => change.path === path)) expect(merged[path]).toEqual(to);
        }
      }),
    );
  });
});
