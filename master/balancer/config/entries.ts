import { isIP, SocketAddress } from 'node:net';
import type { WantedEntry } from '../balancer.ts';
import { writeAddress } from './address.ts';
import { isPlain, sendsProxyHeader, withoutProxyHeader } from './addition.ts';
import { firstFree, markOf } from './marks.ts';

/**
 * Every 10 s a status ping, after a failure every 2 s: BungeeCord writes a line for each. Three failures in a row close an
 * entry to new players; those it has stay. A connection that fails is followed by a ping at once.
 */
const CHECK =
  'check inter 10s fastinter 2s downinter 5s fall 3 rise 1 observe layer4 error-limit 1 on-error fastinter';

/** A proxy as a `server` of our backend. */
export interface Entry {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly open: boolean;
  /** HAProxy's number for it, made from all that cannot be changed while it is there: another number, other options. */
  readonly id: number;
  /** What follows its address. */
  readonly options: string;
  /** The runtime socket can add it; else it comes with a reload. */
  readonly isAddable: boolean;
}

/** @returns sorted by name; each `id` different */
export function toEntries(wanted: readonly WantedEntry[], addition: string): Entry[] {
  const taken = new Set<number>();
  return [...wanted]
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
    .map(({ id: name, host, port, open, proxyProtocol }) => {
      const text = (proxyProtocol ? addition : withoutProxyHeader(addition)).trim();
      const header = sendsProxyHeader(text) ? ' check-send-proxy' : '';
      const fixed = `${CHECK}${header}${text === '' ? '' : ` ${text}`}`;
      const id = firstFree(markOf(`${name} ${fixed}`), taken);
      taken.add(id);
      const isAddable = isIP(host) !== 0 && isPlain(fixed);
      return { name, host: plainHost(host), port, open, id, options: `id ${id} ${fixed}`, isAddable };
    });
}

/** A `server` line. A name that cannot be resolved when HAProxy starts must not keep all of it from starting. */
export function entryLine(entry: Entry): string {
  const late = isIP(entry.host) === 0 ? 'init-addr last,libc,none ' : '';
  const closed = entry.open ? '' : 'disabled ';
  return `    server ${entry.name} ${writeAddress(entry)} ${closed}${late}${entry.options}`;
}

/** IPv6 addresses have many spellings; HAProxy shows the shortest. */
function plainHost(host: string): string {
  return isIP(host) === 6 ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}
