import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toNetwork } from '#master/nodes/hetzner/firewall/network.ts';

describe('toNetwork (converts an address with a prefix length to its network)', () => {
  it.each([
    ['10.0.0.7/24', '10.0.0.0/24'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['192.168.255.255/17', '192.168.128.0/17'],
    ['::/0', '::/0'],
    ['2001:DB8:0:0:0:0:0:1/64', '2001:db8::/64'],
    ['2001:db8::1/128', '2001:db8::1/128'],
    ['2001:db8:ffff:ffff::/33', '2001:db8:8000::/33'],
    ['::ffff:10.0.0.1/128', '::ffff:a00:1/128'],
    ['fe80::1:0:0:2/10', 'fe80::/10'],
  ])('converts %s to %s', (given, want) => {
    expect(toNetwork(given)).toBe(want);
  });

  it('leaves a network unchanged, for any address and prefix length', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }));
    const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }));
    fc.assert(
      fc.property(fc.oneof(v4, v6), ([address, bits]) => {
        const once = toNetwork(`${address}/${bits}`);
        expect(toNetwork(once)).toBe(once);
        expect(once.endsWith(`/${bits}`)).toBe(true);
      }),
    );
  });
});
