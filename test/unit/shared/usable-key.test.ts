import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { makeUsableKey } from '#shared/usable-key.ts';

const isReadable = ({ private: key }: { readonly private: string }): boolean =>
  !(ssh2.utils.parseKey(key) instanceof Error);

it('makeUsableKey returns only key pairs that can be read', () => {
  // About 8 of 2,000 key pairs from ssh2 are unreadable. The probability that all of them are readable is 1 in 2,500.
  for (let i = 0; i < 2_000; i++) {
    const pair = makeUsableKey(() => ssh2.utils.generateKeyPairSync('ed25519'), isReadable);
    expect(isReadable(pair)).toBe(true);
  }
});

it('makeUsableKey creates another key pair if the first cannot be read', () => {
  const made = ['broken', 'broken', 'good', 'never made'];
  expect(
    makeUsableKey(
      () => made.shift(),
      (key) => key === 'good',
    ),
  ).toBe('good');
  expect(made).toEqual(['never made']);
});
