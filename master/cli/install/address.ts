import { lookup, resolve4 } from 'node:dns/promises';
import { isIP, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { runProgram } from '../machine/run-program.ts';

/** An address beyond this machine (RFC 5737). Nothing is sent to it. */
const ELSEWHERE = '192.0.2.1';

const LOOPBACK = /^(127\.|::1$|0\.0\.0\.0$|::$)/;

/** Returns the addresses of this machine that others may reach. */
export function reachableOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, address }) => !internal && !address.toLowerCase().startsWith('fe80:'))
    .map(({ address }) => address);
}

/**
 * Returns the address of this machine that it uses for connections to others. Null if it has none but those of its own
 * loopback.
 */
export async function primaryAddress(): Promise<string | null> {
  const own = reachableOwnAddresses();
  const route = await runProgram('ip', ['-o', 'route', 'get', ELSEWHERE]);
  return choosePrimary(/ src (\S+)/.exec(route.stdout)?.[1], own);
}

/**
 * Returns the address to set in a restored configuration: its own may be that of the lost machine.
 *
 * @returns the primary address of this machine; undefined to keep what is set, because this machine has that address, or
 *   the configuration is faulty
 */
export async function addressAfterRestore(
  communication: { readonly hostname: string } | null,
): Promise<string | undefined> {
  if (communication === null || isAmong(communication.hostname, reachableOwnAddresses())) return undefined;
  return (await primaryAddress()) ?? undefined;
}

/** Returns whether a host is one of these addresses, however an IPv6 address is written. */
export function isAmong(host: string, addresses: readonly string[]): boolean {
  return addresses.map(shortest).includes(shortest(host));
}

/** Returns the shortest notation of an IPv6 address. Other hosts are returned as they are. */
function shortest(host: string): string {
  return isIP(host) === 6 ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}

/**
 * Returns the address that a route starts from, if this machine has it, or else its first address; IPv4 is preferred.
 *
 * @param source source address of the route to other networks
 * @param own addresses of this machine that are not loopback
 */
export function choosePrimary(source: string | undefined, own: readonly string[]): string | null {
  if (source !== undefined && own.includes(source)) return source;
  return own.find((address) => isIP(address) === 4) ?? own[0] ?? null;
}

/**
 * Returns the IP address for a host that a person has given. An IP address is returned as it is.
 *
 * @throws OverworldError ADDRESS_UNKNOWN if the name has no address beyond loopback
 */
export async function resolveAddress(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  const found = await lookup(host, { all: true }).catch(() => []);
  const own = reachableOwnAddresses();
  // On Debian, /etc/hosts maps the machine's own name to 127.0.1.1, so the name servers are asked as well.
  const address =
    chooseResolved(
      found.map((one) => one.address),
      own,
    ) ?? chooseResolved(await resolve4(host).catch(() => []), own);
  if (address === null) throw new OverworldError('ADDRESS_UNKNOWN', { name: host });
  return address;
}

/**
 * Returns the best of the addresses that a name has: one of this machine before others, then IPv4 before IPv6. Null if
 * it has only loopback addresses.
 */
export function chooseResolved(addresses: readonly string[], own: readonly string[]): string | null {
  const usable = addresses.filter((address) => !LOOPBACK.test(address));
  const rank = (address: string): number => (own.includes(address) ? 0 : 2) + (isIP(address) === 4 ? 0 : 1);
  return usable.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
