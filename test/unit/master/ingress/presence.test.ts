import { describe, expect, it } from 'vitest';
import type { ServiceRecord } from '#master/state/services/records.ts';
import {
  awaitsReports,
  knownPlayers,
  networkPlayers,
  playersOnProxies,
  presenceOf,
  slotsOn,
} from '#master/ingress/presence.ts';
import type { PluginReport } from '#master/link/link.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';

const plugin = { software: 'x', version: '1', since: 0 };
const PROXY: PluginReport = {
  plugin: { ...plugin, state: 'linked', platform: 'velocity' },
  silentSince: null,
  inUse: null,
  isUseReported: true,
  count: null,
};
const BUKKIT: PluginReport = {
  plugin: { ...plugin, state: 'linked', platform: 'bukkit' },
  silentSince: null,
  inUse: null,
  isUseReported: true,
  count: { online: 4, max: 50 },
};
const silent = (report: PluginReport, silentSince = 0): PluginReport => ({
  ...report,
  plugin: { ...report.plugin, state: 'silent' },
  silentSince,
});

const now = (): number => 1_000_000;
// The functions under test read only the list of all services.
const records = { all: [] } as never;

function aRecord(fields: Partial<ServiceRecord> = {}): ServiceRecord {
  const placed = { values: { isProxy: false, maxPlayers: 20 } };
  // Other fields of a record are not used.
  return {
    id: 'x-1',
    template: 'x',
    state: 'RUNNING',
    adoptedAt: null,
    upAt: null,
    lastUp: null,
    players: { online: 0, max: 0 },
    placed,
    ...fields,
  } as ServiceRecord;
}

describe('presenceOf (counts the players on a service)', () => {
  it.each<
    [
      what: string,
      said: readonly [PluginReport | null, sessions: number, ping: number | null],
      want: number | null,
    ]
  >([
    ['nothing while neither the plugin nor a ping has reported players', [null, 0, null], null],
    ['the players in the ping if no plugin reports', [null, 0, 2], 2],
    ['the sessions on proxies if the ping contains fewer players', [null, 3, 2], 3],
    ['the players in the ping if the proxies report fewer sessions', [null, 1, 2], 2],
    ['the sessions on proxies while the service answers no ping', [null, 1, null], 1],
    [
      'the sessions of a proxy, because its ping contains the players of the whole network',
      [PROXY, 3, 90],
      3,
    ],
    ['the last known sessions of a disconnected proxy', [silent(PROXY), 3, 90], 3],
    ['the players that a game server reports', [BUKKIT, 3, 9], 4],
    ['the sessions on proxies if the game server does not report the newest players yet', [BUKKIT, 5, 4], 5],
    [
      'the sessions or the players in the ping, whichever are more, for a disconnected game server',
      [silent(BUKKIT), 3, 2],
      3,
    ],
    [
      'the last known players of a disconnected game server that answers no ping',
      [silent(BUKKIT), 0, null],
      0,
    ],
  ])('counts %s', (_what, [report, sessions, ping], want) => {
    const link = { ...noLink(), reportOf: () => report, playersOn: () => sessions, isCounted: () => true };
    const answer = ping === null ? null : { players: { online: ping, max: 20 } };
    expect(presenceOf(aRecord(), answer, { link, now, records })?.players.online ?? null).toBe(want);
  });

  it('counts no players on a proxy whose plugin is connected but has not reported its list of players yet', () => {
    const link = { ...noLink(), reportOf: () => PROXY };
    expect(presenceOf(aRecord(), null, { link, now, records })).toBeNull();
  });

  it.each([
    { says: 'immediately after the adoption', adoptedAt: 999_000, given: '1', want: null },
    { says: 'half a minute after the adoption', adoptedAt: 960_000, given: '1', want: 90 },
    {
      says: 'immediately after the adoption if the proxy was started without a plugin',
      adoptedAt: 999_000,
      given: null,
      want: 90,
    },
  ])(
    'for an adopted proxy with 90 players in its ping and no connected plugin, returns $want $says',
    ({ adoptedAt, given, want }) => {
      const placed = { values: { isProxy: true, maxPlayers: 20 }, given: { plugin: given } };
      const record = aRecord({ state: 'STARTING', adoptedAt, placed: placed as ServiceRecord['placed'] });
      const ping = { players: { online: 90, max: 100 } };
      const link = { ...noLink(), reportOf: () => null };
      expect(presenceOf(record, ping, { link, now, records })?.players.online ?? null).toBe(want);
    },
  );

  const DECLARED = { ...BUKKIT, inUse: { why: 'a round' }, count: null };
  const EMPTY = { players: { online: 0, max: 20 } };
  const said = (
    record: Partial<ServiceRecord>,
    report: PluginReport,
    at: { ping: typeof EMPTY | null; ms: number },
  ) =>
    presenceOf(aRecord(record), at.ping, {
      link: { ...noLink(), reportOf: () => report },
      ...{ now, records },
      clock: () => at.ms,
    })?.declaredInUse;

  it('reports that the plugin declares the service in use, even if no players are on the service', () => {
    expect(said({}, DECLARED, { ping: EMPTY, ms: 1_000_000 })).toBe('a round');
    expect(said({}, silent(DECLARED, 5_000), { ping: EMPTY, ms: 64_999 })).toBe('a round');
  });

  it('ignores the declaration of a disconnected plugin after a minute if the service answers pings', () => {
    expect(said({}, silent(DECLARED, 5_000), { ping: EMPTY, ms: 65_000 })).toBeNull();
    // Players on the service still count.
    const report = silent({ ...BUKKIT, inUse: { why: 'a round' } }, 5_000);
    const link = { ...noLink(), reportOf: () => report, playersOn: () => 3 };
    expect(presenceOf(aRecord(), EMPTY, { link, now, records, clock: () => 65_000 })?.players.online).toBe(3);
  });

  it('keeps the declaration of a disconnected plugin while the service answers no pings', () => {
    const report = silent(DECLARED, 5_000);
    expect(said({ declaredInUse: 'a round' }, report, { ping: null, ms: 900_000 })).toBe('a round');
    expect(said({ declaredInUse: null }, report, { ping: null, ms: 900_000 })).toBeNull();
  });
});

describe('a service without known players that was in use before the restart of the master', () => {
  const lastUp = (state: 'RUNNING' | 'IN_USE', startedAt = 5) => ({
    ...{ startedAt, state, since: 6, unusedSince: null },
  });
  const isInUse = (
    fields: Partial<ServiceRecord>,
    { report = null, isCounted = false }: { report?: PluginReport | null; isCounted?: boolean } = {},
    isProxy = false,
  ) => {
    const placed = { values: { isProxy, maxPlayers: 20 }, given: { plugin: '1' } };
    const record = aRecord({
      ...{ startedAt: 5, adoptedAt: 999_000, upAt: 999_500, lastUp: lastUp('IN_USE') },
      ...{ placed: placed as ServiceRecord['placed'], ...fields },
    });
    const link = { ...noLink(), reportOf: () => report, isCounted: () => isCounted };
    return presenceOf(record, { players: { online: 0, max: 20 } }, { link, now, records })?.isInUse;
  };
  const NOT_DECLARED = { ...BUKKIT, count: { online: 0, max: 20 } };

  it('is in use although its ping reports no players, because its plugin may declare it in use', () => {
    expect(isInUse({})).toBe(true);
    expect(isInUse({}, { report: { ...NOT_DECLARED, isUseReported: false } })).toBe(true);
    expect(isInUse({}, { report: { ...NOT_DECLARED, inUse: { why: 'a round' } } })).toBe(true);
  });

  it('is no longer in use once its plugin has reported that it is not in use', () => {
    expect(isInUse({}, { report: NOT_DECLARED })).toBe(false);
    expect(isInUse({}, { report: silent(NOT_DECLARED) })).toBe(false);
  });

  it('if it is a proxy, is in use until its plugin has reported all players', () => {
    expect(isInUse({}, { report: PROXY }, true)).toBe(true);
    expect(isInUse({}, { report: PROXY, isCounted: true }, true)).toBe(false);
  });

  it('is not in use if the stored state is about an earlier process, or says that the service was empty', () => {
    expect(isInUse({ lastUp: lastUp('IN_USE', 100_000) })).toBe(false);
    expect(isInUse({ lastUp: lastUp('RUNNING') })).toBe(false);
    expect(isInUse({ adoptedAt: null })).toBe(false);
  });

  it('is not in use after half a minute without a report', () => {
    expect(isInUse({ adoptedAt: 969_999 })).toBe(false);
  });
});

describe('the player slots of a service', () => {
  const slots = (max: number, fields: Partial<ServiceRecord> = {}): number =>
    slotsOn(aRecord({ players: { online: 0, max }, ...fields }), 100);

  it('equal the limit that the running service reports', () => {
    expect(slots(80)).toBe(80);
    expect(slots(5)).toBe(5);
    expect(slots(80, { state: 'IN_USE' })).toBe(80);
  });

  it('equal the limit of the template if the service is not up or reports no limit', () => {
    expect(slots(80, { state: 'STARTING' })).toBe(20);
    expect(slots(-1)).toBe(20);
  });

  it("are limited to max_online_players or the template's limit, whichever is higher", () => {
    expect(slots(2_000_000_000)).toBe(100);
    expect(slotsOn(aRecord({ players: { online: 0, max: 2_000_000_000 } }), 10)).toBe(20);
  });
});

describe('the number of players on the network', () => {
  const game = aRecord({ id: 'game-1', template: 'game', players: { online: 3, max: 20 } });
  const proxy = aRecord({
    id: 'gate-1',
    template: 'gate',
    players: { online: 4, max: 20 },
    placed: { values: { isProxy: true, maxPlayers: 20 } } as ServiceRecord['placed'],
  });
  const known = (records: ServiceRecord[], kind: 'velocity' | null = 'velocity') => ({
    // The count reads only these fields.
    records: { all: records } as never,
    proxies: { ...noProxies(), kindOf: (id: string) => (id === 'gate' ? kind : null) },
    link: { ...noLink(), online: 4 },
  });

  it('is the sum of the proxies if a proxy is up', () => {
    expect(networkPlayers(known([game, proxy]))).toBe(4);
    expect(playersOnProxies(known([game, proxy]))).toBe(4);
  });

  it('is the sum of all services if no proxy is up', () => {
    expect(networkPlayers(known([game]))).toBe(3);
    expect(playersOnProxies(known([game]))).toBeNull();
    expect(playersOnProxies(known([game, { ...proxy, state: 'STARTING' }]))).toBeNull();
  });

  it('includes a service of a proxy template as a proxy only if its software or plugin is for proxies', () => {
    expect(networkPlayers(known([game, proxy], null))).toBe(7);
    const report = { ...known([game, proxy], null), link: { ...noLink(), online: 4, reportOf: () => PROXY } };
    expect(networkPlayers(report)).toBe(4);
  });
});

describe('the number of players after the master was restarted', () => {
  const NOW = 100_000;
  const up = { state: 'RUNNING', upAt: NOW, adoptedAt: NOW - 1_000, node: 'local' } as const;
  const unobserved = { ...up, state: 'STARTING', upAt: null } as const;
  const game = { id: 'game-1', template: 'game', players: { online: 3, max: 20 } };
  const gate = (plugin: string | null): Partial<ServiceRecord> => ({
    ...{ id: 'gate-1', template: 'gate' },
    placed: { values: { isProxy: true, maxPlayers: 20 }, given: { plugin } } as ServiceRecord['placed'],
  });
  const network = (records: Partial<ServiceRecord>[], isCounted: (id: string) => boolean) => ({
    // The count reads only these fields.
    records: { all: records.map(aRecord) } as never,
    proxies: { ...noProxies(), kindOf: (id: string) => (id === 'gate' ? ('velocity' as const) : null) },
    link: { ...noLink(), online: 4, isCounted },
    now: () => NOW,
  });
  const playersOf = (records: Partial<ServiceRecord>[], isCounted: boolean) =>
    knownPlayers(network(records, () => isCounted));

  it.each<[what: string, records: Partial<ServiceRecord>[], isCounted: boolean, want: number | null]>([
    ['is known if no service ran before', [{ ...game, ...up, adoptedAt: null }], false, 3],
    [
      'is unknown while a service has not been observed yet',
      [{ ...game, ...unobserved, state: 'REQUESTED', adoptedAt: null }],
      false,
      null,
    ],
    [
      'is known if this service turns out to have exited',
      [{ ...game, ...unobserved, state: 'REQUESTED', adoptedAt: null, hasEnded: true }],
      false,
      3,
    ],
    [
      'is unknown if there is no proxy and a game server has not answered',
      [{ ...game, ...unobserved }],
      false,
      null,
    ],
    ['is known if there is no proxy and the game server has answered', [{ ...game, ...up }], false, 3],
    [
      'is known after a long time, even if a game server has not answered',
      [{ ...game, ...unobserved, adoptedAt: NOW - 30_001 }],
      false,
      3,
    ],
    ['is unknown while a proxy has not answered', [{ ...gate(null), ...unobserved }], false, null],
    ['is known once a proxy without the plugin has answered', [{ ...gate(null), ...up }], false, 4],
    ['is unknown while the plugin of a proxy has not reported', [{ ...gate('1.0.0'), ...up }], false, null],
    ['is known once the plugin of a proxy has reported', [{ ...gate('1.0.0'), ...up }], true, 4],
    [
      'is known after a long time, even if the plugin of a proxy has not reported',
      [{ ...gate('1.0.0'), ...up, adoptedAt: 0 }],
      false,
      4,
    ],
    [
      'is known if the proxy has answered and a game server has not, because proxies count all players',
      [
        { ...gate(null), ...up },
        { ...game, ...unobserved },
      ],
      false,
      4,
    ],
    [
      'is unknown while a service on an unreachable node may be a proxy',
      [
        { ...gate(null), ...up },
        { ...game, ...unobserved, placed: null },
      ],
      false,
      null,
    ],
  ])('%s', (...[, records, isCounted, want]) => expect(playersOf(records, isCounted)).toBe(want));

  it('may be too small until all adopted services have reported, but not for longer than half a minute', () => {
    const proxies = [1, 2].map((n) => ({ ...gate('1.0.0'), ...up, id: `gate-${n}` }));
    const awaits = (records: Partial<ServiceRecord>[], ...counted: string[]) =>
      awaitsReports(network(records, (id) => counted.includes(id)));
    expect(awaits(proxies, 'gate-1')).toBe(true);
    expect(awaits(proxies, 'gate-1', 'gate-2')).toBe(false);
    expect(awaits(proxies.map((one) => ({ ...one, adoptedAt: NOW - 30_001 })))).toBe(false);
    expect(awaits([{ ...game, ...unobserved }])).toBe(true);
    expect(awaits([{ ...game, ...unobserved, adoptedAt: null }])).toBe(false);
  });
});
