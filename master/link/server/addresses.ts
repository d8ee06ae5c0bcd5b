import { networkInterfaces } from 'node:os';

/** Addresses that stand for all addresses of this machine. */
const ANY = ['0.0.0.0', '::'];

/** Returns the machine's addresses, external ones first. */
export function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // Link-local addresses (fe80::…) need an interface name, so they are left out.
  const usable = all.filter(({ address }) => !address.toLowerCase().startsWith('fe80:'));
  return [...usable.filter(({ internal }) => !internal), ...usable.filter(({ internal }) => internal)].map(
    ({ address }) => address,
  );
}

/**
 * Reports whether this machine can listen on an address. All of 127.0.0.0/8 belongs to every machine (RFC 1122
 * 3.2.1.3).
 *
 * Example: `127.0.0.5` → true.
 */
export function isOwnAddress(address: string): boolean {
  if (ANY.includes(address) || address.startsWith('127.')) return true;
  return ownAddresses().some((own) => normal(own) === normal(address));
}

/**
 * Returns the address at which services reach the master. If the master listens on all addresses, the result is the
 * machine's first external address, of the same family if possible.
 *
 * Example: `198.51.100.7` → `198.51.100.7`; `0.0.0.0` → the first external IPv4 address.
 */
export function advertisedAddress(hostname: string): string {
  if (!ANY.includes(hostname)) return hostname;
  const own = ownAddresses();
  const sameFamily = own.filter((address) => address.includes(':') === (hostname === '::'));
  return sameFamily[0] ?? own[0] ?? '127.0.0.1';
}

/** Normalizes an address, because an IPv6 address has several notations. */
function normal(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname : address;
}
