import fc from 'fast-check';
import type { Market, Offer } from '#master/core/snapshot/snapshot.ts';
import { NOW } from '../master/snapshots.ts';
import { never, oneIn, seldom } from './chance.ts';

const types = ['cpx11', 'cpx21', 'cpx32', 'cpx41', 'cx23', 'cax11', 'ccx13'] as const;
const moment = fc.constantFrom(NOW - 1, NOW, NOW + 1, NOW + 300_000);

function arbitraryOffer(troubles: boolean): fc.Arbitrary<Offer> {
  return fc.record<Offer>({
    type: fc.constantFrom(...types),
    location: troubles ? fc.constantFrom('nbg1', 'nbg1', 'nbg1', 'fsn1') : fc.constant('nbg1'),
    ramMb: fc.constantFrom(7_168, 3_072, 1_024, 15_360),
    hourlyPrice: fc.integer({ min: 1, max: 40 }).map((n) => n / 200),
    deprecated: (troubles ? oneIn : never)(8),
    soldOutUntil: troubles ? seldom(4, moment) : fc.constant(null),
  });
}

/**
 * Generates a provider with a few server types. The configuration allows some, all or none of them. Generates null
 * for a network without a provider.
 */
export function arbitraryMarket(troubles: boolean): fc.Arbitrary<Market | null> {
  const market = fc.record<Market>({
    offers: fc.uniqueArray(arbitraryOffer(troubles), {
      maxLength: 5,
      selector: ({ type, location }) => `${type} ${location}`,
    }),
    locations: fc.constantFrom(['nbg1'], ['nbg1', 'fsn1'], ['fsn1', 'nbg1']),
    serverType: fc.constantFrom('cpx', 'c', 'cx', 'cpx32', 'ccx'),
    blockedServers: troubles ? fc.subarray([...types], { maxLength: 2 }) : fc.constant([]),
    paused: troubles
      ? seldom(
          6,
          fc.record({
            message: fc.constant('The provider refused the order: the limit of servers is reached.'),
            until: fc.option(moment, { freq: 2 }),
          }),
        )
      : fc.constant(null),
    nextNumber: fc.constant(100),
  });
  return fc.option(market, { freq: 4 });
}
