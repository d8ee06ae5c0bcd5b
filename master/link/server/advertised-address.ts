import { ANY_ADDRESS, ownAddresses } from './own-addresses.ts';

/**
 * Returns the address at which services reach the master. If the master listens on all addresses, this is the
 * machine's first external address, preferably of the same family (IPv4 or IPv6). It is `127.0.0.1` if the machine
 * has no address.
 *
 * Example: `198.51.100.7` → `198.51.100.7`; `0.0.0.0` → the first external IPv4 address.
 */
export function advertisedAddress(hostname: string): string {
  if (!ANY_ADDRESS.includes(hostname)) return hostname;
  const own = ownAddresses();
  const sameFamily = own.filter((address) => address.includes(':') === (hostname === '::'));
  return sameFamily[0] ?? own[0] ?? '127.0.0.1';
}
