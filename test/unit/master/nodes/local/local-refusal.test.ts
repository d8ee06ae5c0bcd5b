import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyLocalIsUnsafe } from '#master/nodes/local/local-refusal.ts';

describe('a master that runs services on its own machine', () => {
  it.each([
    [{ isRoot: true, hasToken: true }, /root/],
    [{ isRoot: true, hasToken: false }, /root/],
    [{ isRoot: false, hasToken: true }, /API token/],
  ])('refuses to start services with %j', (facts, why) => {
    expect(whyLocalIsUnsafe({ isLocal: true, isAllowed: false, ...facts })).toMatch(why);
  });

  it('starts services if its user is not root and it has no API token', () => {
    const facts = { isLocal: true, isAllowed: false, isRoot: false, hasToken: false };
    expect(whyLocalIsUnsafe(facts)).toBeNull();
  });

  it('may always start if it runs no services or an admin has allowed them', () => {
    const facts = fc.record({
      ...{ isLocal: fc.boolean(), isAllowed: fc.boolean(), isRoot: fc.boolean(), hasToken: fc.boolean() },
    });
    fc.assert(
      fc.property(facts, (all) => {
        fc.pre(!all.isLocal || all.isAllowed);
        expect(whyLocalIsUnsafe(all)).toBeNull();
      }),
    );
  });
});
