import { expect, it } from 'vitest';
import { staysEmpty } from '#master/store/read-document.ts';

const NOW = 1_800_000_000_000;

it.each([
  ['a moment ago', NOW - 0.4, false],
  ['999 ms ago', NOW - 999, false],
  ['a second ago', NOW - 1_000, true],
  ['at a time that is a fraction of a millisecond ahead of the clock', NOW + 0.4, false],
  ['at a time an hour ahead of the clock', NOW + 3_600_000, true],
])('an empty configuration file that was changed %s counts as empty: %s', (_, changedAt, want) => {
  expect(staysEmpty(changedAt, NOW)).toBe(want);
});
