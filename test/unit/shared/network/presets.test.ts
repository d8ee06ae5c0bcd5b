import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configOf, idProblem, nameProblem, presets, suggestId } from '#shared/network/presets.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';

describe('the presets for a new template', () => {
  it.each(presets.map((preset) => [preset.id, preset] as const))(
    'create a valid configuration: %s',
    (_id, preset) => {
      const config = configOf(preset, preset.isProxy ?? false, 'Name');
      expect(templateConfigSchema.parse(config)).toEqual(config);
    },
  );

  it('always set the type and the number of players', () => {
    for (const preset of presets) {
      expect(preset.values.maxPlayers, preset.id).toBeGreaterThan(1);
      for (const isProxy of [true, false]) {
        expect(configOf(preset, isProxy, 'Bed Wars').isProxy).toBe(isProxy);
      }
    }
    expect(presets.filter(({ isProxy }) => isProxy === null).map(({ id }) => id)).toEqual(['other']);
  });
});

describe('the suggested id for a new template', () => {
  it.each([
    ['Lobby', [], 'lobby'],
    ['Bed Wars 4v4!', [], 'bed-wars-4v4'],
    ['Überlebens-Straße', [], 'uberlebens-strasse'],
    ['Lobby', ['lobby', 'lobby-2'], 'lobby-3'],
    ['東京', [], ''],
    ['', [], ''],
  ])('for the name "%s" with the existing ids %j is "%s"', (name, taken, want) => {
    expect(suggestId(name, taken)).toBe(want);
  });

  it('is valid for any name, or empty if the name contains no usable characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (name, taken) => {
        const id = suggestId(name, taken);
        expect(id === '' || (templateIdSchema.safeParse(id).success && !taken.includes(id))).toBe(true);
      }),
    );
  });
});

describe('the id and the name of a new template', () => {
  it.each([
    ['lobby-2', undefined],
    ['', 'Enter an id'],
    ['Lobby', 'Use only lowercase letters'],
    ['-a', 'no hyphen at the beginning'],
    ['a_b', 'Use only lowercase letters, digits and hyphens'],
    ['lobby', 'already exists'],
    ['x'.repeat(33), 'At most 32 characters'],
  ])('the id "%s" has the problem: %s', (id, want) => {
    const problem = idProblem(id, ['lobby']);
    if (want === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(want);
  });

  it('the name must not be empty', () => {
    expect(nameProblem('Lobby')).toBeUndefined();
    expect(nameProblem(' ')).toBe('The name is empty.');
  });
});
