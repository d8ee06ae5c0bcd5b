import { describe, expect, it } from 'vitest';
import type { ServerType } from '#master/nodes/hetzner/api/schemas.ts';
import { ramForServicesMb, toOffers, type OfferContext } from '#master/nodes/hetzner/offers.ts';

const NOW = 1_000_000;

function type(name: string, change: Partial<ServerType> = {}): ServerType {
  return {
    name,
    cores: 2,
    memory: 4,
    disk: 80,
    architecture: 'x86',
    prices: [{ location: 'nbg1', price_hourly: { net: 0.0312 } }],
    locations: [{ name: 'nbg1', available: true, deprecation: null }],
    ...change,
  };
}

function context(change: Partial<OfferContext> = {}): OfferContext {
  return {
    now: NOW,
    ipv4Prices: new Map([['nbg1', { perHour: 0.0008 }]]),
    soldOutUntil: () => null,
    freshUntil: NOW + 300_000,
    isWanted: () => true,
    ...change,
  };
}

const denied = { locations: [{ name: 'nbg1', available: false, deprecation: null }] };

describe('offers (lists the server types that can be ordered)', () => {
  it('returns prices that include an IPv4 address, and the RAM that services can use', () => {
    expect(toOffers([type('cpx22')], context())).toEqual([
      {
        type: 'cpx22',
        location: 'nbg1',
        ramMb: 3676,
        hourlyPrice: 0.032,
        deprecated: false,
        soldOutUntil: null,
      },
    ]);
  });

  it('omits server types without a price', () => {
    expect(toOffers([type('cpx22', { prices: [] })], context())).toEqual([]);
  });

  it.each([
    ['its sale has not ended', NOW + 1, false],
    ['its sale has ended', NOW, true],
  ])(
    'marks a type as deprecated only after the date on which its sale ends: %s',
    (_, unavailable_after, want) => {
      const locations = [{ name: 'nbg1', available: true, deprecation: { unavailable_after } }];
      expect(toOffers([type('cx22', { locations })], context())[0]?.deprecated).toBe(want);
    },
  );

  it('marks an unavailable type as sold out if another allowed type is available', () => {
    const [a, b] = toOffers([type('cx23', denied), type('cpx22')], context());
    expect(a?.soldOutUntil).toBe(NOW + 300_000);
    expect(b?.soldOutUntil).toBeNull();
  });

  it('marks an unavailable type as sold out only if another type is allowed', () => {
    const isWanted = (name: string): boolean => name.startsWith('cx');
    const [a] = toOffers([type('cx23', denied), type('cpx22')], context({ isWanted }));
    expect(a?.soldOutUntil).toBeNull();
  });

  it('marks a type as sold out after a refused order, even if the provider lists it as available', () => {
    const soldOutUntil = (name: string): number | null => (name === 'cpx22' ? NOW + 5 : null);
    const [a, b] = toOffers([type('cpx22'), type('cpx32', denied)], context({ soldOutUntil }));
    expect(a?.soldOutUntil).toBe(NOW + 5);
    // cpx32 is the only type left, so the master tries to order it.
    expect(b?.soldOutUntil).toBeNull();
  });
});

it('ramForServicesMb subtracts the RAM that the operating system needs', () => {
  expect([2, 4, 7.5, 32, 0.1].map(ramForServicesMb)).toEqual([1710, 3676, 7116, 31_201, 0]);
});
