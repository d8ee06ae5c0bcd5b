import { isIP, SocketAddress } from 'node:net';
import type { WantedEntry } from '../balancer.ts';
import { writeAddress } from './address.ts';
import {
  isPlain,
  limitIn,
  sendsProxyHeader,
  withoutLimit,
  withoutProxyHeader,
  withProxyHeader,
} from './entry-addition.ts';
import { assignPlaces, idAt, type UnplacedProxy } from './places.ts';
import { connectionLimits, NO_LIMIT } from '../runtime/limits.ts';

/**
 * Options for the status pings of HAProxy: one every 10 s, and one every 2 s after a failure. The intervals are long
 * because BungeeCord logs a line for each ping. Three failures in a row close an entry to new players; connected
 * players stay. A failed connection causes a ping immediately.
 */
export const CHECK =
  'check inter 10s fastinter 2s downinter 5s fall 3 rise 1 observe layer4 error-limit 1 on-error fastinter';

/** A proxy as a `server` line of Overworld's backend. */
export interface ProxyLine {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly open: boolean;
  /** HAProxy's id of the server. It contains the server's {@link place} ({@link idAt}). */
  readonly id: number;
  /** Position in the sequence in which servers are filled. */
  readonly place: number;
  /** Whether the entry gets another position while HAProxy runs. This is possible only if no player is on it. */
  readonly moves: boolean;
  readonly maxPlayers: number;
  readonly fillLevel: number;
  /** The addition's own limit of connections (`maxconn`); null if the addition has none. */
  readonly ownLimit: number | null;
  /** Limit of connections that is written to the file (`maxconn`). It applies while no master is running. */
  readonly limit: number;
  /** Remaining options of the `server` line, after address, id and limit. */
  readonly options: string;
  /** Whether the entry can be added through the runtime socket. If not, HAProxy must be reloaded. */
  readonly isAddable: boolean;
}

/** Facts about the proxies in a running HAProxy, or in its configuration file. */
export interface KnownProxies {
  /** Positions of the proxies by name, including those of proxies that are no longer in the desired state. */
  readonly places: ReadonlyMap<string, number>;
  readonly isUsed: (name: string) => boolean;
  /** Whether an entry can get another position without a reload of HAProxy. */
  readonly canMove: boolean;
}

/** Value for the case that HAProxy has no proxies yet. */
export const NONE_KNOWN: KnownProxies = { places: new Map(), isUsed: () => false, canMove: false };

/**
 * Returns the entries of the proxies in the desired state, with their positions and connection limits.
 *
 * @param addition `balancer.entry_addition`: options for each entry
 * @param known positions of the existing proxies, and which of them are in use
 * @returns entries sorted by name, each with a different `id`
 */
export function toEntries(
  wanted: readonly WantedEntry[],
  addition: string,
  known: KnownProxies = NONE_KNOWN,
): ProxyLine[] {
  const proxies = [...wanted]
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
    .map((proxy) => ({ ...proxy, name: proxy.id, ...optionsFor(proxy, addition) }));
  const { at, moved } = assignPlaces(
    proxies.map(({ name, open, isAddable }): UnplacedProxy => ({
      name,
      open,
      used: known.isUsed(name),
      movable: known.canMove && isAddable,
    })),
    known.places,
  );
  const placed = proxies.map((proxy) => ({ ...proxy, place: at.get(proxy.name) ?? 0 }));
  const unused = { connections: 0, uncounted: 0 };
  const limits = connectionLimits(
    placed.filter(({ open }) => open).map((proxy) => ({ ...proxy, ...unused })),
  );
  return placed.map(({ name, host, port, open, place, maxPlayers, fillLevel, ...rest }) => {
    const { isAddable, options, ownLimit, sendsHeader } = rest;
    return {
      name,
      host: plainHost(host),
      port,
      open,
      id: idAt(place, sendsHeader),
      place,
      moves: moved.has(name),
      maxPlayers,
      fillLevel,
      ownLimit,
      options,
      isAddable,
      limit: withOwnLimit(limits.get(name) ?? NO_LIMIT, ownLimit),
    };
  });
}

function optionsFor(
  { host, proxyProtocol }: WantedEntry,
  addition: string,
): Pick<ProxyLine, 'options' | 'isAddable' | 'ownLimit'> & { readonly sendsHeader: boolean } {
  const own = proxyProtocol ? withProxyHeader(addition) : withoutProxyHeader(addition);
  const text = withoutLimit(own).trim();
  const sendsHeader = sendsProxyHeader(text);
  const options = `${CHECK}${sendsHeader ? ' check-send-proxy' : ''}${text === '' ? '' : ` ${text}`}`;
  const isAddable = isIP(host) !== 0 && isPlain(options);
  return { options, isAddable, ownLimit: limitIn(addition), sendsHeader };
}

/**
 * Returns the stricter of two limits: the computed limit, and the limit that an admin sets as `maxconn` in
 * `balancer.entry_addition` (null if the admin sets none). A computed limit of 0 means no limit.
 *
 * Example: 80 and 50 → 50; 0 and 50 → 50; 80 and null → 80.
 */
export function withOwnLimit(limit: number, ownLimit: number | null): number {
  if (ownLimit === null) return limit;
  return limit === NO_LIMIT ? ownLimit : Math.min(limit, ownLimit);
}

/**
 * Formats a `server` line. HAProxy starts even if the host name in it cannot be resolved at that time.
 *
 * Example: `server gate-1 10.0.0.5:25570 id 1073741827 maxconn 0 check …`.
 */
export function entryLine(entry: ProxyLine): string {
  const late = isIP(entry.host) === 0 ? 'init-addr last,libc,none ' : '';
  const closed = entry.open ? '' : 'disabled ';
  const { name, limit } = entry;
  return `    server ${name} ${writeAddress(entry)} ${closed}${late}${serverOptions(entry, limit)}`;
}

/** Formats the options after a server's address, for the file and for the runtime socket. */
export function serverOptions({ id, options }: ProxyLine, limit: number): string {
  return `id ${id} maxconn ${limit} ${options}`;
}

const SERVER = /^\s*server\s+(\S+)\s.*?\sid\s+(\d+)(?=\s|$)/;

/**
 * Reads name and id of a `server` line that {@link entryLine} wrote. Null for other lines.
 *
 * Example: `server gate-1 10.0.0.5:25570 id 1073741827 maxconn 0 check` → `gate-1` and 1073741827.
 */
export function readEntryLine(line: string): { readonly name: string; readonly id: number } | null {
  const [, name, id] = SERVER.exec(line) ?? [];
  return name === undefined || id === undefined ? null : { name, id: Number(id) };
}

/** Returns the shortest notation of an IPv6 address, which HAProxy shows, so that addresses can be compared. */
function plainHost(host: string): string {
  return isIP(host) === 6 ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}
