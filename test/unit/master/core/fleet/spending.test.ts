import { describe, expect, it } from 'vitest';
import { MAX_COMING, mayRelease, requesterOf, whyNoOrder } from '#master/core/fleet/spending.ts';

const NOW = 1_000;

const pauses = [
  { name: 'no pause', paused: null, isPaused: false },
  { name: 'a pause that has ended', paused: { message: 'limit', until: NOW }, isPaused: false },
  { name: 'a pause', paused: { message: 'limit', until: NOW + 1 }, isPaused: true },
  { name: 'a pause without an end', paused: { message: 'limit', until: null }, isPaused: true },
];

const combinations = [false, true].flatMap((configureMode) =>
  pauses.flatMap((pause) =>
    [false, true].flatMap((isOffered) =>
      [false, true].flatMap((isOver) =>
        [0, MAX_COMING - 1, MAX_COMING, MAX_COMING + 1].map((coming) => ({
          ...{ configureMode, ...pause, isOffered, isOver, coming },
        })),
      ),
    ),
  ),
);

describe('whyNoOrder (reason why no node is ordered)', () => {
  it.each(combinations)(
    'returns the right reason for: configure mode $configureMode, $name, offers $isOffered, over budget $isOver, $coming nodes starting',
    ({ configureMode, paused, isPaused, isOffered, isOver, coming }) => {
      const noOffer = isOffered ? null : { message: 'sold out', until: NOW + 5 };
      const reasons = [
        ...(configureMode ? ['CONFIGURE_MODE'] : []),
        ...(isPaused ? ['ORDERING_PAUSED'] : []),
        ...(isOffered ? [] : ['NO_OFFER']),
        ...(isOver ? ['BUDGET_REACHED'] : []),
        ...(coming >= MAX_COMING ? ['ORDERING_PAUSED'] : []),
      ];
      const overBudget = isOver ? { message: 'too dear', until: null } : null;
      const wait = whyNoOrder({ configureMode, paused, noOffer, overBudget, coming }, NOW);
      expect(wait?.reason ?? null).toBe(reasons[0] ?? null);
    },
  );

  it('returns when a pause of orders or a sold-out offer ends', () => {
    const facts = { configureMode: false, paused: null, noOffer: null, overBudget: null, coming: 0 };
    const paused = { message: 'limit', until: NOW + 1 };
    expect(whyNoOrder({ ...facts, paused }, NOW)).toEqual({ reason: 'ORDERING_PAUSED', ...paused });
    const noOffer = { message: 'sold out', until: NOW + 5 };
    expect(whyNoOrder({ ...facts, noOffer }, NOW)).toEqual({ reason: 'NO_OFFER', ...noOffer });
  });

  it('returns a complete sentence if too many nodes are starting', () => {
    const facts = { configureMode: false, paused: null, noOffer: null, overBudget: null, coming: MAX_COMING };
    const message =
      '20 nodes are starting, which is the maximum at a time. More are ordered as these become ready.';
    expect(whyNoOrder(facts, NOW)?.message).toBe(message);
  });
});

describe('mayRelease (whether a node may be released)', () => {
  it.each([
    ['user', false, true],
    ['user', true, true],
    ['rules', false, true],
    ['rules', true, false],
  ] as const)('returns for the %s with configure mode %s: %s', (requester, configureMode, expected) => {
    expect(mayRelease(requester, configureMode)).toBe(expected);
  });

  it('distinguishes a release by a user from a release by the rules', () => {
    expect([requesterOf({ leaving: true }), requesterOf({ leaving: false })]).toEqual(['user', 'rules']);
  });
});
