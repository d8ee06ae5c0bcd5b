import { readFile } from 'node:fs/promises';
import { expect, describe, it } from 'vitest';
import {
  describeContract,
  type DescribedContract,
  type JsonSchema,
} from '../../../../build/scripts/contract/describe.ts';
import { describeFields, type FieldDescription } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { additionOf } from '#shared/rpc/additions.ts';
import { API_VERSION, isSupported, methods, type MethodName } from '#shared/rpc/contract.ts';
import { findBreaks } from '#test/support/contract/find-breaks.ts';

/** Newest version of the admin API whose apps accept no master of another version. */
const LAST_STRICT = 4;

/** Returns the contract that was recorded for a release. Null if that version was never released. */
async function recorded(apiVersion: number): Promise<DescribedContract | null> {
  const file = new URL(`recorded/${apiVersion}.json`, import.meta.url);
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as DescribedContract);
}

const current = describeContract();
const before = await recorded(API_VERSION - 1);
const released = await recorded(API_VERSION);

describe('the contract of the admin API', () => {
  it('has not changed since its version was released', () => {
    // If this check fails, raise API_VERSION by one. If one of the next tests also fails, raise it by two.
    expect({ ...current, version: released?.version ?? current.version }).toEqual(released ?? current);
  });

  it('works for an app of this version with a master of the previous version', () => {
    expect(before === null ? [] : findBreaks(current, before)).toEqual([]);
  });

  it('works for an app of the previous version with a master of this version', () => {
    const breaks = before === null ? [] : findBreaks(before, current);
    const canMeet = API_VERSION - 1 > LAST_STRICT;
    // Apps that accept a newer master have a stand-in for each value that only the newer master knows. Older apps
    // accept no newer master, so these values do not matter.
    expect(breaks.filter(({ why }) => canMeet || !why.startsWith('may be "'))).toEqual([]);
  });

  it('lists as additions all methods that a master of the previous version lacks', () => {
    const names = (Object.keys(methods) as MethodName[]).filter(
      (name) => before !== null && !(name in before.methods),
    );
    expect(names.map((name) => [name, additionOf(name)?.since])).toEqual(
      names.map((name) => [name, API_VERSION]),
    );
  });

  it('marks all settings that a master of the previous version lacks', () => {
    const templates = before?.methods['templates.list']?.result.items?.properties?.['config'];
    const master = before?.methods['config.get']?.result.properties?.['config'];
    const newer = [
      ...newerFields(describeFields(templateConfigSchema), templates),
      ...newerFields(describeFields(masterConfigSchema), master),
    ];
    expect(newer.filter(({ since }) => since !== API_VERSION).map(({ label }) => label)).toEqual([]);
  });

  it('supports app and master whose versions differ by at most one', () => {
    const versions = [-2, -1, 0, 1, 2].map((difference) => isSupported(API_VERSION + difference));
    expect(versions).toEqual([false, true, true, true, false]);
  });
});

/** Returns the fields that a recorded document does not have, including fields of list entries. */
function newerFields(
  fields: readonly FieldDescription[],
  document: JsonSchema | undefined,
): readonly FieldDescription[] {
  if (document === undefined) return [];
  return fields.flatMap((field) => {
    const schema = field.path.reduce<JsonSchema | undefined>((at, key) => at?.properties?.[key], document);
    return schema === undefined ? [field] : newerFields(field.entry ?? [], schema.items);
  });
}
