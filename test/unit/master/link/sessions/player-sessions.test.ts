import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '#shared/link/messages.ts';
import { MAX_SESSIONS, PlayerSessions, type SessionChange } from '#master/link/sessions/player-sessions.ts';

const PROXIES = ['proxy-1', 'proxy-2', 'proxy-3'];

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function session(number: number, change: Partial<Session> = {}): Session {
  return { uuid: uuid(number), name: `Player${number}`, server: null, since: 1, ...change };
}

const kinds = (changes: readonly SessionChange[]): string[] =>
  changes.map(({ kind, proxy }) => `${kind} ${proxy}`);

/** Returns sessions in which these proxies have reported that they have no players. */
function bookOf(...proxies: string[]): PlayerSessions {
  const book = new PlayerSessions();
  for (const proxy of proxies) {
    book.linked(proxy);
    book.listed(proxy, [], true);
  }
  return book;
}

describe('PlayerSessions (knows which player is on which proxy)', () => {
  it('returns null for the players of a proxy that has not sent its complete list', () => {
    const book = new PlayerSessions();
    expect(book.countVia('proxy-1')).toBeNull();
    book.linked('proxy-1');
    book.listed('proxy-1', [session(1)], false);
    expect(book.countVia('proxy-1')).toBeNull();
    book.listed('proxy-1', [session(2)], true);
    expect(book.countVia('proxy-1')).toBe(2);
  });

  it('applies joins and leaves that arrive while the list of players is incomplete', () => {
    const book = bookOf('proxy-1');
    book.joined('proxy-1', session(1));
    book.linked('proxy-1');
    book.listed('proxy-1', [session(1), session(2)], false);
    book.left('proxy-1', uuid(3));
    book.left('proxy-1', uuid(1));
    book.joined('proxy-1', session(4));
    book.switched('proxy-1', uuid(2), 'lobby-1');
    book.listed('proxy-1', [session(3)], true);
    expect(book.players.map(({ name, server }) => [name, server])).toEqual([
      ['Player4', null],
      ['Player2', 'lobby-1'],
    ]);
  });

  it('detects a proxy that reports too many leaving players while its list is incomplete', () => {
    const book = new PlayerSessions();
    book.linked('proxy-1');
    for (let number = 0; number <= MAX_SESSIONS; number++) {
      expect(book.isTooLong('proxy-1')).toBe(false);
      book.left('proxy-1', uuid(number));
    }
    expect(book.isTooLong('proxy-1')).toBe(true);
  });

  it('keeps the session that was reported last if a player joins through two proxies', () => {
    const book = bookOf('proxy-1', 'proxy-2');
    book.joined('proxy-1', session(1, { since: 900_000 }));
    // The session on proxy-2 was reported later. No message is that late, so the clocks of the proxies differ.
    expect(kinds(book.joined('proxy-2', session(1, { since: 5 })))).toEqual([
      ...['left proxy-1', 'twin proxy-1', 'joined proxy-2'],
    ]);
    // Reports of proxy-1 about this player are ignored.
    expect(book.switched('proxy-1', uuid(1), 'lobby-1')).toEqual([]);
    expect(book.left('proxy-1', uuid(1))).toEqual([]);
    expect(book.of(uuid(1))?.proxy).toBe('proxy-2');
  });

  it('keeps the newer session if another proxy reports an older join of the player afterwards', () => {
    const book = bookOf('proxy-1', 'proxy-2');
    book.joined('proxy-2', session(1, { since: 18_000 }));
    expect(kinds(book.joined('proxy-1', session(1, { since: 5_000 })))).toEqual(['twin proxy-1']);
    expect(book.left('proxy-1', uuid(1))).toEqual([]);
    expect(book.of(uuid(1))?.proxy).toBe('proxy-2');
  });

  it('keeps the newer session if two proxies list the same player', () => {
    const book = bookOf('proxy-1');
    book.joined('proxy-1', session(1, { since: 900 }));
    book.linked('proxy-2');
    expect(kinds(book.listed('proxy-2', [session(1, { since: 5 })], true))).toEqual(['twin proxy-2']);
    book.linked('proxy-3');
    expect(kinds(book.listed('proxy-3', [session(1, { since: 999 })], true))).toEqual([
      ...['left proxy-1', 'twin proxy-1', 'joined proxy-3'],
    ]);
  });

  it('prefers the session on a connected proxy to the session on a disconnected proxy', () => {
    const book = bookOf('proxy-1');
    book.joined('proxy-1', session(1, { since: 900 }));
    book.unlinked('proxy-1');
    book.linked('proxy-2');
    book.listed('proxy-2', [session(1, { since: 5 })], true);
    expect(book.of(uuid(1))?.proxy).toBe('proxy-2');
  });

  it('detects a proxy that lists more players than a proxy can have', () => {
    const book = bookOf('proxy-1');
    const many = Array.from({ length: MAX_SESSIONS }, (_, index) => session(index));
    book.listed('proxy-1', many, false);
    expect(book.isTooLong('proxy-1')).toBe(false);
    book.listed('proxy-1', [session(MAX_SESSIONS)], false);
    expect(book.isTooLong('proxy-1')).toBe(true);
  });

  it('returns each online player exactly once, for any sequence of events', () => {
    const act = fc.record({
      kind: fc.constantFrom('join', 'join', 'leave', 'switch', 'link', 'cut', 'gone'),
      proxy: fc.constantFrom(...PROXIES),
      number: fc.nat(6),
      server: fc.constantFrom('lobby-1', 'game-1', null),
      since: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80, size: 'max' }), (story) => {
        const network = new Network();
        for (const one of story) {
          network.happen(one);
          const { players } = network.book;
          const vias = PROXIES.map((id) => network.book.countVia(id) ?? 0);
          expect(new Set(players.map(({ uuid: id }) => id)).size).toBe(players.length);
          expect(network.book.size).toBe(players.length);
          expect(vias.reduce((sum, count) => sum + count, 0)).toBe(players.length);
          for (const id of ['lobby-1', 'game-1']) {
            expect(network.book.countOn(id)).toBe(players.filter(({ server }) => server === id).length);
          }
          for (const id of network.linked) {
            expect(places(players.filter(({ proxy }) => proxy === id))).toEqual(
              places(network.on(id).values()),
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});

interface Act {
  readonly kind: 'join' | 'leave' | 'switch' | 'link' | 'cut' | 'gone';
  readonly proxy: string;
  readonly number: number;
  readonly server: string | null;
  readonly since: number;
}

function places(sessions: Iterable<Session>): string[] {
  return [...sessions].map((one) => `${one.uuid} ${String(one.server)}`).sort();
}

/** Simulates proxies, and knows their actual players. Proxies that are not linked report nothing. */
class Network {
  readonly book = new PlayerSessions();
  readonly linked = new Set<string>();
  readonly #truth = new Map<string, Map<string, Session>>();

  on(proxy: string): Map<string, Session> {
    const sessions = this.#truth.get(proxy) ?? new Map<string, Session>();
    this.#truth.set(proxy, sessions);
    return sessions;
  }

  happen({ kind, proxy, ...act }: Act): void {
    const sessions = this.on(proxy);
    switch (kind) {
      case 'link':
        this.linked.add(proxy);
        this.book.linked(proxy);
        this.#apply(this.book.listed(proxy, [...sessions.values()], true));
        break;
      case 'cut':
        this.linked.delete(proxy);
        this.book.unlinked(proxy);
        break;
      case 'gone':
        this.linked.delete(proxy);
        sessions.clear();
        this.book.gone(proxy);
        break;
      default:
        this.#play(kind, proxy, act);
    }
  }

  #play(kind: 'join' | 'leave' | 'switch', proxy: string, act: Omit<Act, 'kind' | 'proxy'>): void {
    const sessions = this.on(proxy);
    const before = sessions.get(uuid(act.number));
    const isReported = this.linked.has(proxy);
    const now = session(act.number, { server: act.server, since: before?.since ?? act.since });
    if (kind === 'leave') {
      sessions.delete(now.uuid);
      if (isReported) this.book.left(proxy, now.uuid);
    } else if (kind === 'join' && before === undefined) {
      sessions.set(now.uuid, now);
      if (isReported) this.#apply(this.book.joined(proxy, now));
    } else if (kind === 'switch' && before !== undefined) {
      sessions.set(now.uuid, now);
      if (isReported) this.book.switched(proxy, now.uuid, now.server);
    }
  }

  /** If a player is on two proxies, removes the player from the proxy that has to kick the player. */
  #apply(changes: readonly SessionChange[]): void {
    for (const { kind, proxy, player } of changes) {
      if (kind === 'twin' && this.linked.has(proxy)) this.on(proxy).delete(player.uuid);
    }
  }
}
