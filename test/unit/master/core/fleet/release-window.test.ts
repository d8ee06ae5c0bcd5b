import { describe, expect, it } from 'vitest';
import { paidUntil } from '#master/core/fleet/release-window.ts';
import { ms, NOW } from '#test/support/master/snapshots.ts';

describe('paidUntil (end of the hour for which a node is paid)', () => {
  it.each([
    { rentedFor: '0:00', paidFor: '60:00' },
    { rentedFor: '0:01', paidFor: '60:00' },
    { rentedFor: '59:59', paidFor: '60:00' },
    { rentedFor: '60:00', paidFor: '60:00' },
    { rentedFor: '60:01', paidFor: '120:00' },
    { rentedFor: '119:59', paidFor: '120:00' },
    { rentedFor: '1440:01', paidFor: '1500:00' },
  ])(
    'is $paidFor (min:s) after the order, for a node that was ordered $rentedFor ago',
    ({ rentedFor: clock, paidFor }) => {
      expect(paidUntil({ since: NOW - ms(clock) }, NOW) - (NOW - ms(clock))).toBe(ms(paidFor));
    },
  );

  it('returns one hour from now for a node whose order time is in the future', () => {
    expect(paidUntil({ since: NOW + 5 }, NOW)).toBe(NOW + 5 + ms('60:00'));
  });
});
