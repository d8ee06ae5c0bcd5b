import { describe, expect, it } from 'vitest';
import { searchEntries } from '#renderer/view/search.ts';

const entries = [
  { label: 'Start service from lobby' },
  { label: 'my-lobby-2' },
  { label: 'lobby-1' },
  { label: 'Files', keywords: 'sftp upload' },
];
const found = (typed: string): string[] => searchEntries(entries, typed, 3).map(({ label }) => label);

describe('searchEntries', () => {
  it('puts what begins with it first, then beginnings of words', () => {
    expect(found('lobby')).toEqual(['lobby-1', 'Start service from lobby', 'my-lobby-2']);
  });

  it('wants every word, in any order', () =>
    expect(found('lobby start')).toEqual(['Start service from lobby']));

  it('looks into keywords', () => expect(found('sftp')).toEqual(['Files']));

  it('shows the first ones while nothing is typed, at most so many', () =>
    expect(found(' ')).toHaveLength(3));

  it('finds nothing where nothing is', () => expect(found('zzz')).toEqual([]));
});
