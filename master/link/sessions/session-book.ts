import type { Session } from '#shared/link/messages.ts';
import type { Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';

/** Most players on one proxy; one that tells of more is not believed. */
export const MAX_SESSIONS = 20_000;

/** What has become different in the book. */
export interface SessionChange {
  /** `twin`: the same player is on another proxy too, and has to go from this one. */
  readonly kind: 'joined' | 'switched' | 'left' | 'twin';
  readonly proxy: ServiceId;
  readonly player: Session;
}

interface ProxyPage {
  linked: boolean;
  /** Its whole list has come once: what is written here is all of it. */
  whole: boolean;
  readonly sessions: Map<string, Session>;
  /** What has come of a list that is not whole yet, and who left meanwhile. */
  arriving: { readonly sessions: Map<string, Session>; readonly left: Set<string> } | null;
}

/**
 * Who is on the network: for each proxy what it has said. A player is in it once: the newer session stays. It only keeps
 * the book: no I/O, no clock.
 */
export class SessionBook {
  readonly #pages = new Map<ServiceId, ProxyPage>();
  readonly #proxyOf = new Map<string, ServiceId>();
  readonly #on = new Map<ServiceId, number>();

  get size(): number {
    return this.#proxyOf.size;
  }

  get players(): readonly Player[] {
    return [...this.#pages].flatMap(([proxy, { sessions }]) =>
      [...sessions.values()].map((session) => ({ ...session, proxy })),
    );
  }

  of(uuid: string): Player | undefined {
    const proxy = this.#proxyOf.get(uuid);
    const session = proxy === undefined ? undefined : this.#pages.get(proxy)?.sessions.get(uuid);
    return proxy === undefined || session === undefined ? undefined : { ...session, proxy };
  }

  /** Sessions of a proxy; null while it has never said who is on it. */
  countVia(proxy: ServiceId): number | null {
    const page = this.#pages.get(proxy);
    return page?.whole === true ? page.sessions.size : null;
  }

  /** Sessions that are on a game server. */
  countOn(server: ServiceId): number {
    return this.#on.get(server) ?? 0;
  }

  linked(proxy: ServiceId): void {
    const page = this.#page(proxy);
    page.linked = true;
    page.arriving = { sessions: new Map(), left: new Set() };
  }

  /** What it said last stays: its players play on. */
  unlinked(proxy: ServiceId): void {
    const page = this.#pages.get(proxy);
    if (page === undefined) return;
    page.linked = false;
    page.arriving = null;
  }

  /** It is proven gone, and so are its players. */
  gone(proxy: ServiceId): SessionChange[] {
    const page = this.#pages.get(proxy);
    if (page === undefined) return [];
    const changes = [...page.sessions.keys()].flatMap((uuid) => this.left(proxy, uuid));
    this.#pages.delete(proxy);
    return changes;
  }

  /** A part of a proxy's whole list; with the last one, who is not in it has left. */
  listed(proxy: ServiceId, players: readonly Session[], done: boolean): SessionChange[] {
    const page = this.#page(proxy);
    page.arriving ??= { sessions: new Map(), left: new Set() };
    const { sessions, left } = page.arriving;
    for (const player of players) if (!left.has(player.uuid)) sessions.set(player.uuid, player);
    if (!done) return [];
    page.arriving = null;
    page.whole = true;
    const changes: SessionChange[] = [];
    for (const uuid of [...page.sessions.keys()]) {
      if (!sessions.has(uuid)) changes.push(...this.left(proxy, uuid));
    }
    for (const session of sessions.values()) changes.push(...this.#enter(proxy, session, 'list'));
    return changes;
  }

  joined(proxy: ServiceId, session: Session): SessionChange[] {
    const { arriving } = this.#page(proxy);
    arriving?.sessions.set(session.uuid, session);
    arriving?.left.delete(session.uuid);
    return this.#enter(proxy, session, 'join');
  }

  switched(proxy: ServiceId, uuid: string, server: ServiceId | null): SessionChange[] {
    const page = this.#page(proxy);
    const coming = page.arriving?.sessions.get(uuid);
    if (coming !== undefined) page.arriving?.sessions.set(uuid, { ...coming, server });
    const session = page.sessions.get(uuid);
    return session === undefined ? [] : this.#move(proxy, { ...session, server });
  }

  left(proxy: ServiceId, uuid: string): SessionChange[] {
    const page = this.#page(proxy);
    page.arriving?.sessions.delete(uuid);
    page.arriving?.left.add(uuid);
    const session = page.sessions.get(uuid);
    if (session === undefined) return [];
    page.sessions.delete(uuid);
    this.#proxyOf.delete(uuid);
    this.#count(session.server, -1);
    return [{ kind: 'left', proxy, player: session }];
  }

  /** True when it has told of more players than there can be, also of those who left while its list came. */
  isTooLong(proxy: ServiceId): boolean {
    const page = this.#pages.get(proxy);
    return (
      page !== undefined && [page.sessions, page.arriving?.sessions, page.arriving?.left].some(isOverfull)
    );
  }

  #enter(proxy: ServiceId, session: Session, from: 'join' | 'list'): SessionChange[] {
    const page = this.#page(proxy);
    if (page.sessions.has(session.uuid)) return this.#move(proxy, session);
    const changes: SessionChange[] = [];
    const other = this.of(session.uuid);
    if (other !== undefined) {
      const isNewer = from === 'join' || session.since > other.since || !this.#page(other.proxy).linked;
      // Who has come later is the one who plays; of two that were found by lists, the proxies' clocks decide.
      if (!isNewer) return [{ kind: 'twin', proxy, player: session }];
      const { proxy: olderProxy, ...older } = other;
      changes.push(...this.left(olderProxy, session.uuid), {
        kind: 'twin',
        proxy: olderProxy,
        player: older,
      });
    }
    page.sessions.set(session.uuid, session);
    this.#proxyOf.set(session.uuid, proxy);
    this.#count(session.server, 1);
    return [...changes, { kind: 'joined', proxy, player: session }];
  }

  #move(proxy: ServiceId, session: Session): SessionChange[] {
    const page = this.#page(proxy);
    const before = page.sessions.get(session.uuid);
    page.sessions.set(session.uuid, session);
    if (before === undefined || before.server === session.server) return [];
    this.#count(before.server, -1);
    this.#count(session.server, 1);
    return [{ kind: 'switched', proxy, player: session }];
  }

  #count(server: ServiceId | null, by: 1 | -1): void {
    if (server === null) return;
    const count = (this.#on.get(server) ?? 0) + by;
    if (count === 0) this.#on.delete(server);
    else this.#on.set(server, count);
  }

  #page(proxy: ServiceId): ProxyPage {
    const page = this.#pages.get(proxy) ?? {
      linked: false,
      whole: false,
      sessions: new Map(),
      arriving: null,
    };
    this.#pages.set(proxy, page);
    return page;
  }
}

function isOverfull(players: { readonly size: number } | undefined): boolean {
  return (players?.size ?? 0) > MAX_SESSIONS;
}
