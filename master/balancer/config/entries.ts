import { isIP, SocketAddress } from 'node:net';
import type { WantedEntry } from '../balancer.ts';
import { writeAddress } from './address.ts';
import { isPlain, limitIn, sendsProxyHeader, withoutLimit, withoutProxyHeader } from './addition.ts';
import { assignPlaces, idAt, type PlaceSeeker } from './places.ts';
import { connectionLimits, NO_LIMIT } from '../runtime/limits.ts';

/**
 * Every 10 s a status ping, after a failure every 2 s: BungeeCord writes a line for each. Three failures in a row close an
 * entry to new players; those it has stay. A connection that fails is followed by a ping at once.
 */
export const CHECK =
  'check inter 10s fastinter 2s downinter 5s fall 3 rise 1 observe layer4 error-limit 1 on-error fastinter';

/** A proxy as a `server` of our backend. */
export interface Entry {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly open: boolean;
  /** HAProxy's number for it: its place in the order in which proxies are filled ({@link idAt}). */
  readonly id: number;
  readonly place: number;
  /** It gets this place while it runs, as nobody is on it. */
  readonly moves: boolean;
  readonly maxPlayers: number;
  readonly fillLevel: number;
  /** Most connections by `maxconn` of the addition; null without one. */
  readonly ownLimit: number | null;
  /** `maxconn` as the file says it: what holds while no master is there. */
  readonly limit: number;
  /** What follows address, id and limit. */
  readonly options: string;
  /** The runtime socket can add it; else it comes with a reload. */
  readonly isAddable: boolean;
}

/** What is known of the proxies that are there already. */
export interface KnownProxies {
  /** Places by name, also those of proxies that nobody wants any more. */
  readonly places: ReadonlyMap<string, number>;
  readonly isUsed: (name: string) => boolean;
  /** Entries can be given another place without a reload. */
  readonly canMove: boolean;
}

/** Nothing is there yet. */
export const NONE_KNOWN: KnownProxies = { places: new Map(), isUsed: () => false, canMove: false };

/** @returns sorted by name; each `id` different */
export function toEntries(
  wanted: readonly WantedEntry[],
  addition: string,
  known: KnownProxies = NONE_KNOWN,
): Entry[] {
  const proxies = [...wanted]
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
    .map((proxy) => ({ ...proxy, name: proxy.id, ...optionsFor(proxy, addition) }));
  const { at, moved } = assignPlaces(
    proxies.map(({ name, open, isAddable }): PlaceSeeker => ({
      ...{ name, open, used: known.isUsed(name), movable: known.canMove && isAddable },
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
      ...{ name, host: plainHost(host), port, open, id: idAt(place, sendsHeader), place },
      ...{ moves: moved.has(name), maxPlayers, fillLevel, ownLimit, options, isAddable },
      limit: withOwnLimit(limits.get(name) ?? NO_LIMIT, ownLimit),
    };
  });
}

function optionsFor(
  { host, proxyProtocol }: WantedEntry,
  addition: string,
): Pick<Entry, 'options' | 'isAddable' | 'ownLimit'> & { readonly sendsHeader: boolean } {
  const text = withoutLimit(proxyProtocol ? addition : withoutProxyHeader(addition)).trim();
  const sendsHeader = sendsProxyHeader(text);
  const options = `${CHECK}${sendsHeader ? ' check-send-proxy' : ''}${text === '' ? '' : ` ${text}`}`;
  const isAddable = isIP(host) !== 0 && isPlain(options);
  return { options, isAddable, ownLimit: limitIn(addition), sendsHeader };
}

/** A limit of ours, where the addition may have a lower one. */
export function withOwnLimit(limit: number, ownLimit: number | null): number {
  if (ownLimit === null) return limit;
  return limit === NO_LIMIT ? ownLimit : Math.min(limit, ownLimit);
}

/** A `server` line. A name that cannot be resolved when HAProxy starts must not keep all of it from starting. */
export function entryLine(entry: Entry): string {
  const late = isIP(entry.host) === 0 ? 'init-addr last,libc,none ' : '';
  const closed = entry.open ? '' : 'disabled ';
  const { name, limit } = entry;
  return `    server ${name} ${writeAddress(entry)} ${closed}${late}${serverOptions(entry, limit)}`;
}

/** What follows a server's address, in the file and at the runtime socket. */
export function serverOptions({ id, options }: Entry, limit: number): string {
  return `id ${id} maxconn ${limit} ${options}`;
}

const SERVER = /^\s*server\s+(\S+)\s.*?\sid\s+(\d+)(?=\s|$)/;

/** Name and id in a `server` line that {@link entryLine} wrote; null for other lines. */
export function readEntryLine(line: string): { readonly name: string; readonly id: number } | null {
  const [, name, id] = SERVER.exec(line) ?? [];
  return name === undefined || id === undefined ? null : { name, id: Number(id) };
}

/** IPv6 addresses have many spellings; HAProxy shows the shortest. */
function plainHost(host: string): string {
  return isIP(host) === 6 ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}
