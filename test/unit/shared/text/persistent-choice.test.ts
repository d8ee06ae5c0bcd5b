import { describe, expect, it } from 'vitest';
import { chosenPersistent, persistentChoiceWords } from '#shared/text/persistent-choice.ts';

describe('chosenPersistent (selected paths that are persistent)', () => {
  it.each([
    ['world', ['world*/']],
    ['world_nether/region', ['world*/']],
    ['world/', ['world']],
    ['plugins', ['plugins/Shop/data']],
    ['plugins/Shop/data/shop.db', ['plugins/Shop/data']],
    ['plugins', ['plugins/**/*.db']],
    ['plugins/Shop', ['plugins/**/*.db']],
    ['anything', ['**/players']],
    ['a/b', ['{a/b,c}']],
    ['', ['whitelist.json']],
  ])('returns %j for %j', (path, persistentPaths) => {
    expect(chosenPersistent([path, 'eula.txt'], persistentPaths)).toContain(path);
  });
  it.each([
    ['world', []],
    ['worlds.yml', ['world/']],
    ['plugins/Other', ['plugins/Shop/data']],
    ['config', ['plugins/**']],
    ['world/data', ['world2/data']],
  ])('does not return %j for %j', (path, persistentPaths) => {
    expect(chosenPersistent([path], persistentPaths)).toEqual([]);
  });
});

it('persistentChoiceWords names the first path, and counts the others', () => {
  expect(persistentChoiceWords(['ops.json'], ['world'])).toBeNull();
  expect(persistentChoiceWords(['world'], ['world'])).toMatch(/^world is at a persistent path/);
  expect(persistentChoiceWords(['world', 'ops.json', 'world_nether'], ['world*'])).toMatch(
    /^world and 1 more are/,
  );
});
