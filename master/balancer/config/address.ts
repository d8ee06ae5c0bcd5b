/** An address to listen on or to connect to. */
export interface Address {
  /** IP address or name. `0.0.0.0` and `::` stand for all addresses of this machine. */
  readonly host: string;
  readonly port: number;
}

/** Reports whether a host stands for all addresses of a machine: `0.0.0.0` or `::`. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/**
 * Formats an address as in HAProxy's configuration, with IPv6 in brackets.
 *
 * Example: `{ host: '::1', port: 25565 }` → `[::1]:25565`.
 */
export function writeAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const FAMILY = /^(ipv4|ipv6|tcp|tcp4|tcp6)@/;

/**
 * Parses the addresses of a `bind` line: a comma-separated list. Each address may have a family prefix, and has a
 * port or a range of ports (configuration manual, `bind`). Omits addresses that are not TCP (`unix@…`, `fd@…`, a
 * path) or that contain an environment variable.
 *
 * Example: `:25565,[::1]:80-81` → `0.0.0.0:25565`, `[::1]:80`, `[::1]:81`.
 *
 * @param most maximum number of ports to return for each range
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

/**
 * Reports whether two addresses overlap. Two programs or sections cannot both listen on overlapping addresses.
 *
 * Example: `0.0.0.0:25565` and `127.0.0.1:25565` → true.
 */
export function overlaps(one: Address, other: Address): boolean {
  if (one.port !== other.port) return false;
  return one.host === other.host || isWildcard(one.host) || isWildcard(other.host);
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}
