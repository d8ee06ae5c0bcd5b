import { describe, expect, it } from 'vitest';
import type { ServerType } from '#master/nodes/hetzner/api/schemas.ts';
import { serviceRamMb, toOffers, type OfferContext } from '#master/nodes/hetzner/offers.ts';

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
    ipv4Prices: new Map([['nbg1', 0.0008]]),
    soldOutUntil: () => null,
    freshUntil: NOW + 300_000,
    isWanted: () => true,
    ...change,
  };
}

const denied = { locations: [{ name: 'nbg1', available: false, deprecation: null }] };

describe('offers', () => {
  it('have the price of server and IPv4 and the RAM that is left for services', () => {
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

  it('are none where no price is told', () => {
    expect(toOffers([type('cpx22', { prices: [] })], context())).toEqual([]);
  });

  it.each([
    ['announced for later: still sold', NOW + 1, false],
    ['its time has come', NOW, true],
  ])('deprecation, %s', (_, unavailable_after, want) => {
    const locations = [{ name: 'nbg1', available: true, deprecation: { unavailable_after } }];
    expect(toOffers([type('cx22', { locations })], context())[0]?.deprecated).toBe(want);
  });

  it('that the provider denies wait while another wanted one is to be had', () => {
    const [a, b] = toOffers([type('cx23', denied), type('cpx22')], context());
    expect(a?.soldOutUntil).toBe(NOW + 300_000);
    expect(b?.soldOutUntil).toBeNull();
  });

  it('that the provider denies are asked for all the same when nothing else is wanted: it is a hint only', () => {
    const isWanted = (name: string): boolean => name.startsWith('cx');
    const [a] = toOffers([type('cx23', denied), type('cpx22')], context({ isWanted }));
    expect(a?.soldOutUntil).toBeNull();
  });

  it('that were refused lately wait whatever the provider says', () => {
    const soldOutUntil = (name: string): number | null => (name === 'cpx22' ? NOW + 5 : null);
    const [a, b] = toOffers([type('cpx22'), type('cpx32', denied)], context({ soldOutUntil }));
    expect(a?.soldOutUntil).toBe(NOW + 5);
    // The only one left: worth asking.
    expect(b?.soldOutUntil).toBeNull();
  });
});

it('RAM for services: what is built in less what the system keeps', () => {
  expect([2, 4, 7.5, 32, 0.1].map(serviceRamMb)).toEqual([1710, 3676, 7116, 31_201, 0]);
});
