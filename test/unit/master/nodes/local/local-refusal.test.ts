import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyLocalIsUnsafe } from '#master/nodes/local/local-refusal.ts';

describe('whyLocalIsUnsafe (why a master must not run services on its own machine)', () => {
  it.each([
    [{ isRoot: true, hasToken: true }, /root/],
    [{ isRoot: true, hasToken: false }, /root/],
    [{ isRoot: false, hasToken: true }, /API token/],
  ])('returns a reason for %j', (facts, why) => {
    expect(whyLocalIsUnsafe({ isLocal: true, isAllowed: false, ...facts })).toMatch(why);
  });

  it('returns null if the master is not root and has no API token', () => {
    const facts = { isLocal: true, isAllowed: false, isRoot: false, hasToken: false };
    expect(whyLocalIsUnsafe(facts)).toBeNull();
  });

  it('returns null if no services run there, or if an admin has allowed them', () => {
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
