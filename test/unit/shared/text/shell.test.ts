import { expect, it } from 'vitest';
import { quote } from '#shared/text/shell.ts';

it.each([
  ['lobby', "'lobby'"],
  ["it's", `'it'\\''s'`],
  ['', "''"],
])('quotes %j for sh', (argument, quoted) => {
  expect(quote(argument)).toBe(quoted);
});
