import { describe, expect, it } from 'vitest';
import { encodeProxyHeader } from '#master/runtime/ping/proxy-header.ts';

describe('encodeProxyHeader (header of the PROXY protocol)', () => {
  it.each([
    {
      it: 'IPv4 addresses',
      ends: ['10.0.0.1', '203.0.113.7'],
      want: 'PROXY TCP4 10.0.0.1 203.0.113.7 40000 25565\r\n',
    },
    {
      it: 'IPv6 addresses',
      ends: ['2001:db8::1', '::1'],
      want: 'PROXY TCP6 2001:db8::1 ::1 40000 25565\r\n',
    },
    {
      it: 'link-local addresses without their interface',
      ends: ['fe80::1%eth0', 'fe80::2%eth0'],
      want: 'PROXY TCP6 fe80::1 fe80::2 40000 25565\r\n',
    },
  ])('encodes $it', ({ ends: [from = '', to = ''], want }) => {
    const header = encodeProxyHeader({ address: from, port: 40_000 }, { address: to, port: 25_565 });
    expect(header.toString()).toBe(want);
  });
});
