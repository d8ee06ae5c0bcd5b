import { isIPv6 } from 'node:net';

/** Address and port of one side of a connection. */
export interface ConnectionEnd {
  readonly address: string;
  readonly port: number;
}

/**
 * Encodes the header that a proxy behind a load balancer expects at the start of a connection: version 1 of the PROXY
 * protocol, at most 107 bytes. The header contains real addresses, because some proxies fail on `PROXY UNKNOWN`,
 * which contains no addresses. Source: HAProxy, "The PROXY protocol", 2.1.
 *
 * Example: from 10.0.0.1:5000 to 10.0.0.2:25565 gives `PROXY TCP4 10.0.0.1 10.0.0.2 5000 25565\r\n`.
 */
export function encodeProxyHeader(from: ConnectionEnd, to: ConnectionEnd): Buffer {
  const family = isIPv6(from.address) ? 'TCP6' : 'TCP4';
  const words = ['PROXY', family, plain(from.address), plain(to.address), from.port, to.port];
  return Buffer.from(`${words.join(' ')}\r\n`, 'latin1');
}

/** Removes the interface from a link-local address (`fe80::1%eth0`), which the protocol does not support. */
function plain(address: string): string {
  return address.replace(/%.*$/, '');
}
