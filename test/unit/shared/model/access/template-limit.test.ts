import { describe, expect, it } from 'vitest';
import {
  includesPath,
  includesTemplate,
  limitRefusal,
  templateLimitSchema,
} from '#shared/model/access/template-limit.ts';

describe('the template limit of a key', () => {
  it.each([
    ['lobby', 'lobby', true],
    ['lobby', 'lobby-2', false],
    ['bedwars*', 'bedwars', true],
    ['bedwars*', 'bedwars-4x4', true],
    ['bedwars*', 'old-bedwars', false],
    ['*', 'arena', true],
    ['arena-?', 'arena-1', true],
    ['arena-?', 'arena-10', false],
    ['*-event', 'spring-event', true],
  ])('with the mask "%s" includes the template "%s": %s', (mask, id, want) => {
    expect(includesTemplate([mask], id)).toBe(want);
  });

  it('includes only valid template ids, even with the mask "*"', () => {
    for (const name of ['', '..', '.lobby', 'LOBBY', 'lobby ', 'a/b', 'x'.repeat(33)])
      expect(includesTemplate(['*'], name), name).toBe(false);
  });

  it('is checked in linear time', () => {
    const before = performance.now();
    expect(includesTemplate([`${'*a'.repeat(31)}b`], 'a'.repeat(32))).toBe(false);
    expect(performance.now() - before).toBeLessThan(100);
  });
});

describe('the paths that a key limited to the template lobby may access', () => {
  it.each([
    ['/', true],
    ['/templates', true],
    ['/templates/', true],
    ['/templates/lobby', true],
    ['/templates/lobby/plugins/a.yml', true],
    ['/templates/arena/../lobby', true],
    ['/templates/lobby/../arena', false],
    ['/templates/lobby/../../files', false],
    ['/templates//arena/x', false],
    ['/files', false],
    ['/files/a', false],
    ['/other', false],
    ['/services', true],
    ['/services/lobby-1', true],
    ['/services/lobby-1/world', true],
    ['/services/lobby', false],
    ['/services/arena-1', false],
    ['/services/lobby-1/../arena-1', false],
    ['/services/no service', false],
    ['/volumes', true],
    ['/volumes/lobby/1/world', true],
    ['/volumes/arena', false],
    ['/volumes/lobby-1/1', false],
  ])('include %s: %s', (path, want) => {
    expect(includesPath(['lobby'], path)).toBe(want);
    expect(includesPath(null, path)).toBe(true);
  });
});

it.each([
  [[]],
  [['']],
  [['Lobby']],
  [['a/b']],
  [['{a,b}']],
  [['a'.repeat(65)]],
  [Array.from({ length: 65 }, () => 'a')],
])('the template limit %j is not valid', (limit) => {
  expect(templateLimitSchema.safeParse(limit).success).toBe(false);
});

it.each([
  [['lobby'], 'template lobby'],
  [['bedwars*'], 'templates bedwars*'],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'templates a, b, c, d, e and 2 more'],
])('the error about the template limit %j names the template, or at most five masks', (limit, words) => {
  expect(limitRefusal(limit)).toBe(`Your key is only for the ${words}`);
});
