import { expect, it } from 'vitest';
import { SavedSpace } from '#master/volumes/saved-space.ts';

const content = (letter: string, size: number) => ({ hash: letter.repeat(64), size });

it('counts a content that several saves share once, until the last of them is removed', () => {
  const space = new SavedSpace();
  space.add('one', [content('a', 5), content('b', 7)]);
  space.add('two', [content('a', 5)]);
  expect(space.bytes).toBe(12);
  space.remove('one', [content('a', 5), content('b', 7)]);
  expect(space.bytes).toBe(5);
});

it('does not subtract contents that were not counted, because the record of their save was not readable then', () => {
  const space = new SavedSpace();
  space.add('one', [content('a', 5)]);
  space.add('two', []);
  space.remove('two', [content('b', 7)]);
  expect(space.bytes).toBe(5);
});
