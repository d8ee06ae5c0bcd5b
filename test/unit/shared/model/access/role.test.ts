import { describe, expect, it } from 'vitest';
import { authorizedKeySchema } from '#shared/model/access/role.ts';

describe('the name of an authorized key', () => {
  const { name } = authorizedKeySchema.shape;

  it.each(['Ana', 'Łukasz’s laptop', 'desk (2)', '山田 太郎', 'x'.repeat(64)])(
    'can be a normal name: %s',
    (good) => {
      expect(name.parse(` ${good} `)).toBe(good);
    },
  );

  it.each([
    ['empty', ' '],
    ['too long', 'x'.repeat(65)],
    ['an escape sequence', '\u001b[2Jowner'],
    ['a line break', 'ana\nowner'],
    ['a C1 control', 'ana\u009b31m'],
    ['a change of writing direction', 'ana\u202erenwo'],
    ['an invisible space', 'an\u200ba'],
    ['a line separator', 'ana\u2028owner'],
  ])('is rejected: %s', (_what, bad) => {
    expect(name.safeParse(bad).success).toBe(false);
  });
});
