import { lookup, resolve4, resolve6 } from 'node:dns/promises';
import { isIP, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { runProgram } from '../machine/run-program.ts';

/**
 * Addresses outside of this machine that are reserved for documentation (RFC 5737, RFC 3849). Only used to ask for the
 * route to them; nothing is sent to them.
 */
const ELSEWHERE = ['192.0.2.1', '2001:db8::1'];

const LOOPBACK = /^(127\.|::1$|0\.0\.0\.0$|::$)/;

/** Returns the addresses of this machine that other machines may be able to reach. */
export function reachableOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, address }) => !internal && !address.toLowerCase().startsWith('fe80:'))
    .map(({ address }) => address);
}

/**
 * Returns the address from which this machine connects to other machines. Null if it has no address except those of
 * its loopback.
 */
export async function primaryAddress(): Promise<string | null> {
  const routes = await Promise.all(
    ELSEWHERE.map((address) => runProgram('ip', ['-o', 'route', 'get', address])),
  );
  const sources = routes.flatMap(({ stdout }) => / src (\S+)/.exec(stdout)?.[1] ?? []);
  return choosePrimary(sources, reachableOwnAddresses());
}

/**
 * Returns the new address for a restored configuration, which may still contain the address of the lost machine.
 *
 * @returns the primary address of this machine; undefined if the configured address stays: if this machine has the
 *   configured address, if it has no primary address, or if the configuration is faulty
 */
export async function addressAfterRestore(
  communication: { readonly hostname: string } | null,
): Promise<string | undefined> {
  if (communication === null || isAmong(communication.hostname, reachableOwnAddresses())) return undefined;
  return (await primaryAddress()) ?? undefined;
}

/** Returns whether a host is one of these addresses. IPv6 addresses may be written in any notation. */
export function isAmong(host: string, addresses: readonly string[]): boolean {
  return addresses.map(shortest).includes(shortest(host));
}

/** Returns the shortest notation of an IPv6 address. Returns other hosts unchanged. */
function shortest(host: string): string {
  return isIP(host) === 6 ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}

/**
 * Chooses this machine's primary address. This is the first of `sources` that is one of the machine's own addresses.
 * Otherwise it is the first of the own addresses, IPv4 before IPv6. Null if the machine has no own address.
 *
 * @param sources source addresses of the routes to other networks, IPv4 before IPv6
 * @param own addresses of this machine that are not loopback
 */
export function choosePrimary(sources: readonly string[], own: readonly string[]): string | null {
  const source = sources.find((one) => own.includes(one));
  return source ?? own.find((address) => isIP(address) === 4) ?? own[0] ?? null;
}

/**
 * Returns the IP address of a host that a person has entered. An IP address is returned unchanged.
 *
 * @throws OverworldError ADDRESS_UNKNOWN if the name has no address except loopback addresses
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
    ) ?? chooseResolved(await askNameServers(host), own);
  if (address === null) throw new OverworldError('ADDRESS_UNKNOWN', { name: host });
  return address;
}

async function askNameServers(host: string): Promise<string[]> {
  const answers = await Promise.all([resolve4, resolve6].map((ask) => ask(host).catch(() => [])));
  return answers.flat();
}

/**
 * Chooses the best address of a name: an address of this machine before others, then IPv4 before IPv6. Null if the
 * name has only loopback addresses.
 */
export function chooseResolved(addresses: readonly string[], own: readonly string[]): string | null {
  const usable = addresses.filter((address) => !LOOPBACK.test(address));
  const rank = (address: string): number => (own.includes(address) ? 0 : 2) + (isIP(address) === 4 ? 0 : 1);
  return usable.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
