import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeFields, field } from '#shared/config/field.ts';
import { isKnownAt, withoutNewerFields } from '#shared/config/newer-fields.ts';

const effect = 'now' as const;
const schema = z.strictObject({
  name: field(z.string().default('a'), { label: 'Name', help: '', effect }),
  world: z
    .strictObject({
      seed: field(z.int().default(0), { label: 'Seed', help: '', effect }),
      border: field(z.int().default(500), { label: 'World border', help: '', effect, since: 6 }),
    })
    .prefault({}),
  rules: field(
    z
      .array(
        z.strictObject({
          port: field(z.string(), { label: 'Port', help: '', effect }),
          note: field(z.string().optional(), { label: 'Note', help: '', effect, since: 6 }),
        }),
      )
      .default([]),
    { label: 'Rules', help: '', effect },
  ),
});
const fields = describeFields(schema);

describe('withoutNewerFields (makes a document readable for an older master)', () => {
  const document = schema.parse({ rules: [{ port: '22' }] });

  it('removes newer fields with default values, and does not change the original', () => {
    expect(withoutNewerFields(document, fields, 5)).toEqual({
      document: { name: 'a', world: { seed: 0 }, rules: [{ port: '22' }] },
      lost: [],
    });
    expect(document.world.border, 'the document itself').toBe(500);
  });

  it('returns the same document for a master that knows all fields', () => {
    expect(withoutNewerFields(document, fields, 6)).toEqual({ document, lost: [] });
  });

  it('removes a section with only newer fields, because an older master would reject it', () => {
    const whole = describeFields(
      z.strictObject({
        access: z.strictObject({ read: schema.shape.world.unwrap().shape.border }).prefault({}),
      }),
    );
    expect(withoutNewerFields({ access: { read: 500 } }, whole, 5)).toEqual({ document: {}, lost: [] });
    expect(withoutNewerFields({ access: {} }, whole, 6)).toEqual({ document: { access: {} }, lost: [] });
  });

  it('names the newer fields whose values are lost, including fields of list entries', () => {
    const changed = { ...document, world: { seed: 0, border: 9 }, rules: [{ port: '22', note: 'ssh' }] };
    expect(withoutNewerFields(changed, fields, 5).lost).toEqual(['World border', 'Note']);
  });

  it('returns an invalid document unchanged', () => {
    for (const odd of [null, 7, 'x', [], { world: 3, rules: [null, 4] }]) {
      expect(withoutNewerFields(odd, fields, 5)).toEqual({ document: odd, lost: [] });
    }
  });
});

it('isKnownAt returns true from the version that added a field, and always for fields without a version', () => {
  expect([isKnownAt({}, 1), isKnownAt({ since: 6 }, 5), isKnownAt({ since: 6 }, 6)]).toEqual([
    true,
    false,
    true,
  ]);
});
