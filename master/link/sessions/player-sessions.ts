import type { Session } from '#shared/link/messages.ts';
import type { Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import { DEFAULT_TIMING } from '../timing.ts';

/** Maximum number of players on one proxy. The connection of a proxy that reports more is closed. */
export const MAX_SESSIONS = 20_000;

/**
 * Maximum time by which a message of a linked proxy can be late (ms). If a proxy is silent for longer, its connection
 * is closed.
 */
const MAX_DELAY_MS = DEFAULT_TIMING.silentAfterMs + DEFAULT_TIMING.heartbeatMs;

/** A change of one player's session. */
export interface SessionChange {
  /** `twin`: the player is also on another proxy, and has to leave the proxy of this change. */
  readonly kind: 'joined' | 'switched' | 'left' | 'twin';
  readonly proxy: ServiceId;
  readonly player: Session;
}

interface ProxyPage {
  linked: boolean;
  /** Whether the proxy has sent its complete list at least once. */
  whole: boolean;
  readonly sessions: Map<string, Session>;
  /** Number of sessions on each game server. */
  readonly on: Map<ServiceId, number>;
  /**
   * The part of a proxy's complete list that has arrived so far, and the players who have left in the meantime. Null
   * if no list is being sent.
   */
  arriving: { readonly sessions: Map<string, Session>; readonly left: Set<string> } | null;
}

/**
 * The players on the network, by proxy. Each player has one session: if two proxies report the same player, only the
 * newer session is kept. Pure state without I/O or clock.
 */
export class PlayerSessions {
  readonly #pages = new Map<ServiceId, ProxyPage>();
  readonly #proxyOf = new Map<string, ServiceId>();
  readonly #on = new Map<ServiceId, number>();

  /** Number of players on the network. */
  get size(): number {
    return this.#proxyOf.size;
  }

  /** All players, by proxy. */
  get players(): readonly Player[] {
    return [...this.#pages].flatMap(([proxy, { sessions }]) =>
      [...sessions.values()].map((session) => ({ ...session, proxy })),
    );
  }

  /** Returns a player. Undefined if no proxy has reported the player. */
  of(uuid: string): Player | undefined {
    const proxy = this.#proxyOf.get(uuid);
    const session = proxy === undefined ? undefined : this.#pages.get(proxy)?.sessions.get(uuid);
    return proxy === undefined || session === undefined ? undefined : { ...session, proxy };
  }

  /** Returns the number of sessions of a proxy. Null if the proxy has never sent a complete list. */
  countVia(proxy: ServiceId): number | null {
    const page = this.#pages.get(proxy);
    return page?.whole === true ? page.sessions.size : null;
  }

  /** Returns the number of sessions on a game server. */
  countOn(server: ServiceId): number {
    return this.#on.get(server) ?? 0;
  }

  /** Returns the number of sessions on a game server, without those of proxies that are not linked. */
  countOnByLinked(server: ServiceId): number {
    let count = this.countOn(server);
    for (const { linked, on } of this.#pages.values()) if (!linked) count -= on.get(server) ?? 0;
    return count;
  }

  /** Marks a proxy as linked. Its complete list of players is expected next. */
  linked(proxy: ServiceId): void {
    const page = this.#page(proxy);
    page.linked = true;
    page.arriving = { sessions: new Map(), left: new Set() };
  }

  /** Marks a proxy as disconnected. Its sessions stay, because its players continue to play. */
  unlinked(proxy: ServiceId): void {
    const page = this.#pages.get(proxy);
    if (page === undefined) return;
    page.linked = false;
    page.arriving = null;
  }

  /** Removes a proxy that has exited, and its players. Returns the resulting changes. */
  gone(proxy: ServiceId): SessionChange[] {
    const page = this.#pages.get(proxy);
    if (page === undefined) return [];
    const changes = [...page.sessions.keys()].flatMap((uuid) => this.left(proxy, uuid));
    this.#pages.delete(proxy);
    return changes;
  }

  /**
   * Adds a part of a proxy's complete list. After the last part (`done`), players who are not in the list count as
   * having left.
   *
   * @returns the resulting changes; none before the last part
   */
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

  /**
   * Adds a player who has joined through a proxy. If the player is on another proxy, too, that session is removed.
   *
   * @returns the resulting changes; `twin` names the proxy from which the player must be kicked
   */
  joined(proxy: ServiceId, session: Session): SessionChange[] {
    const { arriving } = this.#page(proxy);
    arriving?.sessions.set(session.uuid, session);
    arriving?.left.delete(session.uuid);
    return this.#enter(proxy, session, 'join');
  }

  /** Moves a player to another game server; null for none. Returns the resulting changes. */
  switched(proxy: ServiceId, uuid: string, server: ServiceId | null): SessionChange[] {
    const page = this.#page(proxy);
    const coming = page.arriving?.sessions.get(uuid);
    if (coming !== undefined) page.arriving?.sessions.set(uuid, { ...coming, server });
    const session = page.sessions.get(uuid);
    return session === undefined ? [] : this.#move(proxy, { ...session, server });
  }

  /** Removes a player who has left a proxy. Returns the resulting changes; none if the player was not on it. */
  left(proxy: ServiceId, uuid: string): SessionChange[] {
    const page = this.#page(proxy);
    page.arriving?.sessions.delete(uuid);
    page.arriving?.left.add(uuid);
    const session = page.sessions.get(uuid);
    if (session === undefined) return [];
    page.sessions.delete(uuid);
    this.#proxyOf.delete(uuid);
    this.#count(page, session.server, -1);
    return [{ kind: 'left', proxy, player: session }];
  }

  /**
   * Reports whether a proxy has more than {@link MAX_SESSIONS} players. This limit also applies to the list that is
   * arriving, and to the players who left while it arrived.
   */
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
      const isOlder = from === 'join' ? isLate(session, other) : session.since <= other.since;
      // If the other proxy is not linked, its report may be outdated.
      if (isOlder && this.#page(other.proxy).linked) return [{ kind: 'twin', proxy, player: session }];
      const { proxy: olderProxy, ...older } = other;
      changes.push(...this.left(olderProxy, session.uuid), {
        kind: 'twin',
        proxy: olderProxy,
        player: older,
      });
    }
    page.sessions.set(session.uuid, session);
    this.#proxyOf.set(session.uuid, proxy);
    this.#count(page, session.server, 1);
    return [...changes, { kind: 'joined', proxy, player: session }];
  }

  #move(proxy: ServiceId, session: Session): SessionChange[] {
    const page = this.#page(proxy);
    const before = page.sessions.get(session.uuid);
    page.sessions.set(session.uuid, session);
    if (before === undefined || before.server === session.server) return [];
    this.#count(page, before.server, -1);
    this.#count(page, session.server, 1);
    return [{ kind: 'switched', proxy, player: session }];
  }

  #count(page: ProxyPage, server: ServiceId | null, by: 1 | -1): void {
    if (server === null) return;
    for (const counts of [this.#on, page.on]) {
      const count = (counts.get(server) ?? 0) + by;
      if (count === 0) counts.delete(server);
      else counts.set(server, count);
    }
  }

  #page(proxy: ServiceId): ProxyPage {
    const page = this.#pages.get(proxy) ?? {
      linked: false,
      whole: false,
      sessions: new Map(),
      on: new Map(),
      arriving: null,
    };
    this.#pages.set(proxy, page);
    return page;
  }
}

/**
 * Reports whether a join message has arrived after the message about a later session of the player, for example because
 * its proxy stalled. Compares the clocks of the two proxies, but only within the time by which a message can be late:
 * if the times differ by more, the clocks are wrong, and the session that was reported last is the newer one.
 */
function isLate(joined: Session, other: Session): boolean {
  const earlierByMs = other.since - joined.since;
  return earlierByMs > 0 && earlierByMs <= MAX_DELAY_MS;
}

function isOverfull(players: { readonly size: number } | undefined): boolean {
  return (players?.size ?? 0) > MAX_SESSIONS;
}
