import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyLocalIsUnsafe } from '#master/nodes/local/local-refusal.ts';

describe("services on the master's machine", () => {
  it.each([
    [{ isRoot: true, hasToken: true }, /root/],
    [{ isRoot: true, hasToken: false }, /root/],
    [{ isRoot: false, hasToken: true }, /API token/],
  ])('are refused with %j', (facts, why) => {
    expect(whyLocalIsUnsafe({ isLocal: true, isAllowed: false, ...facts })).toMatch(why);
  });

  it('are allowed for a user who is not root and has no API token', () => {
    const facts = { isLocal: true, isAllowed: false, isRoot: false, hasToken: false };
    expect(whyLocalIsUnsafe(facts)).toBeNull();
  });

  it('are never a reason to refuse the start if the master runs none or an admin has allowed them', () => {
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
