import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDocument, toInputs } from '#renderer/view/form/form-model.ts';
import { withUnknownKeys } from '#renderer/view/form/unknown-keys.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';

const fields = describeFields(masterConfigSchema);
const known = masterConfigSchema.parse({
  firewall_rules: [
    { port: '25565', protocol: 'tcp' },
    { port: '19132', protocol: 'udp' },
  ],
});
const base = { ...known, world_border: 500 };

describe('withUnknownKeys (preserves unknown keys of a newer master in an edited document)', () => {
  it('adds unknown keys at each level again, and keeps all changes by the user', () => {
    const newer = { ...base, provider: { ...base.provider, zone: 'b' } };
    const edited = { ...toDocument(fields, toInputs(fields, newer)), max_online_players: 7 };
    expect(edited).not.toHaveProperty('world_border');
    expect(withUnknownKeys(fields, newer, edited)).toEqual({ ...newer, max_online_players: 7 });
  });

  it('adds unknown keys of list entries again, unless the user has changed the entry', () => {
    const [first, second] = base.firewall_rules;
    const newer = {
      ...base,
      firewall_rules: [
        { ...first, note: 'game' },
        { ...second, note: 'bedrock' },
      ],
    };
    const edited = { ...base, firewall_rules: [{ ...second, port: '19133' }, first] };
    expect(withUnknownKeys(fields, newer, edited)['firewall_rules']).toEqual([
      { ...second, port: '19133' },
      { ...first, note: 'game' },
    ]);
  });

  it('does not restore an optional key that the user has removed', () => {
    const newer = { ...base, firewall_rules: [{ port: '22', protocol: 'tcp', source_ips: ['10.0.0.0/8'] }] };
    const edited = { ...base, firewall_rules: [{ port: '22', source_ips: ['10.0.0.0/8'] }] };
    expect(withUnknownKeys(fields, newer, edited)['firewall_rules']).toEqual(edited.firewall_rules);
  });

  it('changes nothing if there are no unknown keys, for any edit', () => {
    const values = fc.record({
      max_online_players: fc.nat(1000),
      firewall_rules: fc.array(
        fc.record({ port: fc.constantFrom('22', '80'), protocol: fc.constant('tcp') }),
      ),
    });
    fc.assert(
      fc.property(values, values, (one, two) => {
        const before = masterConfigSchema.parse({ ...one, firewall_rules: [] });
        const edited = { ...known, ...two };
        expect(withUnknownKeys(fields, before, edited)).toEqual(edited);
      }),
    );
  });
});
