/** Where something listens or is listened to. */
export interface Address {
  /** IP address or name; `0.0.0.0` and `::` stand for all of this machine. */
  readonly host: string;
  readonly port: number;
}

/** True for all addresses of a machine together. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** As HAProxy and people write it: IPv6 in brackets. */
export function writeAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const FAMILY = /^(ipv4|ipv6|tcp|tcp4|tcp6)@/;

/**
 * Reads the addresses of a `bind` line: a list with commas, an optional family, a port or a range of ports (configuration
 * manual, `bind`). What is no TCP address (`unix@…`, `fd@…`, a path) and what an environment variable decides is left out.
 *
 * @param most ports that are told of one range
 */
export function parseBind(word: string, most = 4_096): Address[] {
  return word.split(',').flatMap((part) => {
    const isSix = /^(ipv6|tcp6)@/.test(part);
    const plain = part.replace(FAMILY, '');
    if (plain.startsWith('/') || plain.includes('@') || plain.includes('$')) return [];
    const colon = plain.lastIndexOf(':');
    const ports = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(plain.slice(colon + 1));
    if (colon < 0 || ports === null) return [];
    const named = plain.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
    const host = named === '' || named === '*' ? (isSix ? '::' : '0.0.0.0') : named;
    const from = Number(ports[1]);
    const to = Math.min(Number(ports[2] ?? from), from + most - 1);
    const addresses: Address[] = [];
    for (let port = from; port <= to; port += 1) if (isPort(port)) addresses.push({ host, port });
    return addresses;
  });
}

/** Both cannot be listened to by different programs, or sections. */
export function overlaps(one: Address, other: Address): boolean {
  if (one.port !== other.port) return false;
  return one.host === other.host || isWildcard(one.host) || isWildcard(other.host);
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}
