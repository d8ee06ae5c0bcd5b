import { expect, it } from 'vitest';
import { hideVariables, showVariables } from '#master/admin/masked-variables.ts';
import { templateConfigSchema } from '#shared/config/template.ts';

const stored = [
  { name: 'DB_PASSWORD', value: 'hunter2' },
  { name: 'REGION', value: 'eu' },
];
const config = templateConfigSchema.parse({ environment: stored });

it('keeps the stored values of variables whose masks are sent back', () => {
  const sent = { ...hideVariables(config), maxPlayers: 60 };
  expect(JSON.stringify(sent)).not.toContain('hunter2');
  expect(showVariables('lobby', sent, stored)).toEqual({ ...config, maxPlayers: 60 });
});

it('finds the stored value of a variable by its name, whatever its place in the list', () => {
  const [password, region] = hideVariables(config).environment;
  const sent = { environment: [{ name: 'NEW', value: 'x' }, region, { ...password, value: 'hunter3' }] };
  expect(showVariables('lobby', sent, stored)).toMatchObject({
    environment: [
      { name: 'NEW', value: 'x' },
      { name: 'REGION', value: 'eu' },
      { name: 'DB_PASSWORD', value: 'hunter3' },
    ],
  });
});

it('rejects a mask for a variable without a stored value, and names its field', () => {
  const sent = { environment: [...stored, { name: 'DB_PASSWORD_2', value: '••••' }] };
  expect(() => showVariables('lobby', sent, stored)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_FAULTY',
      message: expect.stringMatching(/Template lobby .*environment\[2\]\.value contains ••••/) as string,
    }),
  );
});

it('returns a document that is not valid unchanged', () => {
  for (const document of [null, 'text', { environment: 'none' }, { environment: [{ name: 'A' }] }]) {
    expect(showVariables('lobby', document, stored)).toBe(document);
  }
});
