import { networkInterfaces } from 'node:os';

/** Addresses that mean "all of this machine". */
const ANY = ['0.0.0.0', '::'];

/** The machine's addresses, those for others first. */
export function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // Those of one link only (fe80::…) cannot be said without an interface.
  const usable = all.filter(({ address }) => !address.toLowerCase().startsWith('fe80:'));
  return [...usable.filter(({ internal }) => !internal), ...usable.filter(({ internal }) => internal)].map(
    ({ address }) => address,
  );
}

/** True when this machine can listen there. All of 127.0.0.0/8 is its own (RFC 1122 3.2.1.3). */
export function isOwnAddress(address: string): boolean {
  if (ANY.includes(address) || address.startsWith('127.')) return true;
  return ownAddresses().some((own) => normal(own) === normal(address));
}

/** Where services reach a master that listens on all addresses: the first for others, of the same family if there is one. */
export function addressToTell(hostname: string): string {
  if (!ANY.includes(hostname)) return hostname;
  const own = ownAddresses();
  const sameFamily = own.filter((address) => address.includes(':') === (hostname === '::'));
  return sameFamily[0] ?? own[0] ?? '127.0.0.1';
}

/** IPv6 has many spellings for one address. */
function normal(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname : address;
}
