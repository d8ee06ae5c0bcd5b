import { networkInterfaces } from 'node:os';

/** Addresses that stand for all addresses of this machine. */
export const ANY_ADDRESS = ['0.0.0.0', '::'];

/** Returns the machine's addresses, external ones first. Link-local IPv6 addresses are left out. */
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
  if (ANY_ADDRESS.includes(address) || address.startsWith('127.')) return true;
  return ownAddresses().some((own) => normal(own) === normal(address));
}

/** Converts an address to its normal form, because an IPv6 address can be written in several forms. */
function normal(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname : address;
}
