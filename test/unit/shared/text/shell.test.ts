import { expect, it } from 'vitest';
import { quote } from '#shared/text/shell.ts';

it.each([
  ['lobby', "'lobby'"],
  ["it's", `'it'\\''s'`],
  ['', "''"],
])('quote returns a word that sh reads as %j', (argument, quoted) => {
  expect(quote(argument)).toBe(quoted);
});
