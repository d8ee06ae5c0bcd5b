import { describe, expect, it } from 'vitest';
import { rank, searchAll, type Searchable, type SearchableVerb } from '#renderer/view/search.ts';

const entries: readonly Searchable[] = [
  { id: 'a', label: 'Start something' },
  { id: 'b', label: 'my-lobby-2' },
  { id: 'c', label: 'lobby-1' },
  { id: 'd', label: 'Files', keywords: 'sftp upload' },
  { id: 'e', label: 'Configuration' },
];
const stop: SearchableVerb<Searchable> = {
  words: 'Stop service',
  objects: ['lobby-1', 'my-lobby-2', 'arena-1'],
  toEntry: (id) => ({ id: `stop ${id}`, label: `Stop service ${id}` }),
};
const found = (typed: string, recent: readonly string[] = []): string[] =>
  searchAll({ entries, verbs: [stop], recent }, typed, 4).map(({ label }) => label);

describe('searchAll (search of the command palette)', () => {
  it('ranks a match at the beginning first, then matches at the beginning of words, then all others', () => {
    expect(found('lobby').slice(0, 2)).toEqual(['lobby-1', 'my-lobby-2']);
    expect(rank('obby lobby', ['obby'])).toBeGreaterThan(rank('my obby', ['obby']));
    expect(rank('my obby', ['obby'])).toBeGreaterThan(rank('lobby', ['obby']));
  });

  it('ranks an exact match before a longer name', () =>
    expect(rank('lobby-1', ['lobby-1'])).toBeGreaterThan(rank('lobby-10', ['lobby-1'])));

  it('finds entries by their keywords', () => expect(found('sftp')).toEqual(['Files']));

  it('finds entries that contain three or more typed letters in the same order', () => {
    expect(found('cfg')).toEqual(['Configuration']);
    expect(found('cg')).toEqual([]);
  });

  it('finds an action by words of its name and its object, in any order', () => {
    expect(found('stop lobby-1')[0]).toBe('Stop service lobby-1');
    expect(found('arena stop')[0]).toBe('Stop service arena-1');
    expect(found('arena')).toEqual([]);
  });

  it('ranks an action that contains the typed words before an entry that contains only the letters', () => {
    const fields = [{ id: 'f', label: 'SSH port of services', keywords: 'two places' }];
    const order = searchAll({ entries: fields, verbs: [stop], recent: [] }, 'stop service', 4);
    expect(order.map(({ label }) => label)).toEqual([
      'Stop service lobby-1',
      'Stop service my-lobby-2',
      'Stop service arena-1',
      'SSH port of services',
    ]);
  });

  it('finds only entries that contain all typed words', () => expect(found('stop zzz')).toEqual([]));

  it('shows recently used entries first while nothing is typed', () => {
    expect(found(' ', ['d', 'gone'])).toEqual(['Files', 'Start something', 'my-lobby-2', 'lobby-1']);
  });

  it('ranks a recently used entry before equally good matches, but after better matches', () => {
    const pair = [
      { id: 'x', label: 'my lobby' },
      { id: 'y', label: 'our lobby' },
      { id: 'z', label: 'lobby' },
    ];
    const order = searchAll({ entries: pair, verbs: [], recent: ['y'] }, 'lobby', 3).map(({ id }) => id);
    expect(order).toEqual(['z', 'y', 'x']);
  });
});
