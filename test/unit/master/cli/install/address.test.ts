import { describe, expect, it } from 'vitest';
import { choosePrimary, chooseResolved, isAmong } from '#master/cli/install/address.ts';

describe('choosePrimary (address of a new master)', () => {
  it.each([
    { sources: ['203.0.113.7'], own: ['10.0.0.2', '203.0.113.7'], address: '203.0.113.7' },
    { sources: ['203.0.113.7', '2001:db8::7'], own: ['2001:db8::7', '203.0.113.7'], address: '203.0.113.7' },
    { sources: ['2001:db8::7'], own: ['172.17.0.1', '2001:db8::7'], address: '2001:db8::7' },
    { sources: ['198.51.100.1'], own: ['10.0.0.2'], address: '10.0.0.2' },
    { sources: [], own: ['2001:db8::7', '203.0.113.7'], address: '203.0.113.7' },
    { sources: [], own: ['2001:db8::7'], address: '2001:db8::7' },
    { sources: [], own: [], address: null },
  ])(
    'returns $address for outgoing connections from $sources on a machine with the addresses $own',
    ({ sources, own, address }) => {
      expect(choosePrimary(sources, own)).toBe(address);
    },
  );
});

describe('chooseResolved (address of a host name)', () => {
  const own = ['203.0.113.7', '2001:db8::7'];

  it.each([
    { found: ['127.0.1.1', '203.0.113.7'], address: '203.0.113.7' },
    { found: ['198.51.100.1', '2001:db8::7'], address: '2001:db8::7' },
    { found: ['2001:db8::9', '198.51.100.1'], address: '198.51.100.1' },
    { found: ['127.0.1.1', '::1', '0.0.0.0'], address: null },
    { found: [], address: null },
  ])('returns $address for a name that resolves to $found', ({ found, address }) => {
    expect(chooseResolved(found, own)).toBe(address);
  });
});

describe('isAmong (whether a host is one of the given addresses)', () => {
  it.each([
    { host: '203.0.113.7', is: true },
    { host: '2001:DB8:0:0::7', is: true },
    { host: '2001:0db8::0007', is: true },
    { host: '2001:db8::8', is: false },
    { host: 'mc.example.org', is: false },
  ])('returns $is for $host', ({ host, is }) => {
    expect(isAmong(host, ['203.0.113.7', '2001:db8::7'])).toBe(is);
  });
});
