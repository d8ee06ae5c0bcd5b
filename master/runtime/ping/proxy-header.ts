import { isIPv6 } from 'node:net';

/** One end of a connection. */
export interface ConnectionEnd {
  readonly address: string;
  readonly port: number;
}

/**
 * What a proxy behind a load balancer expects before the first byte of a connection: version 1 of the PROXY protocol, at most
 * 107 bytes. With real addresses: `PROXY UNKNOWN` has none, and a proxy may fail when it makes an address of that.
 * Source: HAProxy, "The PROXY protocol", 2.1.
 */
export function encodeProxyHeader(from: ConnectionEnd, to: ConnectionEnd): Buffer {
  const family = isIPv6(from.address) ? 'TCP6' : 'TCP4';
  const words = ['PROXY', family, plain(from.address), plain(to.address), from.port, to.port];
  return Buffer.from(`${words.join(' ')}\r\n`, 'latin1');
}

/** Without the interface of a link-local address (`fe80::1%eth0`): the protocol has none. */
function plain(address: string): string {
  return address.replace(/%.*$/, '');
}
