import { describe, expect, it } from 'vitest';
import { applyStatus } from '#master/control/services/apply-status.ts';
import { noteLogEnd, noteUnpingedStart } from '#master/control/services/unpinged-start.ts';
import type { PluginReport } from '#master/link/link.ts';
import type { LogEnd } from '#master/runtime/runtime.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Returns a game server with `enable-status=false` whose log and plugin the test controls. */
function aServerWithoutPings(log: string[]) {
  const events: { readonly kind: string; readonly cause: string }[] = [];
  const world = {
    plugin: null as PluginReport | null,
    ...{ sessions: 0, isCounted: false, reads: 0, firstLine: 0, now: 1_000_000 },
    /** All services of the network: lobby-1, and the proxies that a test adds. */
    all: [] as ServiceRecord[],
  };
  const link = {
    ...noLink(),
    reportOf: (id: string) => (id === 'lobby-1' ? world.plugin : null),
    playersOn: () => world.sessions,
    isCounted: () => world.isCounted,
  };
  const numbered = () => log.map((text, index) => ({ seq: world.firstLine + index, text }));
  const pages = (from: number, limit: number) => {
    world.reads += 1;
    const lines = numbered().filter(({ seq }) => seq >= from);
    const count = Math.min(limit, 2);
    return Promise.resolve({ lines: lines.slice(0, count), next: lines[count]?.seq ?? null });
  };
  const runtime = {
    followLog: () => Promise.resolve({ lines: numbered(), close: () => undefined }),
    readLog: (_: string, from: number, limit: number) => pages(from, limit),
  };
  const parts = {
    ...{ link, now: () => world.now, limits: { unresponsiveAfterMs: 10 }, runtimeOf: () => runtime },
    records: world,
    events: { add: (event: { kind: string; cause: string }) => events.push(event) },
    nodeBackoff: { recovered: () => undefined },
    // The functions under test read only these fields.
  } as unknown as Parameters<typeof applyStatus>[2] & Parameters<typeof noteUnpingedStart>[1];
  const record = {
    ...newRecord({ id: 'lobby-1', template: 'lobby', requestedAt: 0, cause: 'a test', manual: false }),
    ...{ node: 'local', state: 'STARTING', startedAt: 999_000, players: { online: 0, max: 20 } },
    placed: { values: { isProxy: false, maxPlayers: 20 }, given: { plugin: null }, statusOff: true },
    // The other fields of a placement are not used.
  } as unknown as ServiceRecord;
  world.all.push(record);
  /** Runs a round of the control loop in which no ping is answered. */
  const round = async (): Promise<ServiceRecord['state']> => {
    await noteUnpingedStart(record, parts);
    applyStatus(record, { answer: null, at: 1_000_000, silentSince: 900_000 }, parts);
    return record.state;
  };
  /** Continues as the next master, which knows only what is stored with the process. */
  const adopt = (logEnd: LogEnd | null): void => {
    const placed = startedFrom(serviceSpec({ statusOff: true, logEnd }));
    Object.assign(record, { placed, state: 'STARTING', startSeen: false, logReadTo: null, upAt: null });
  };
  return { world, record, parts, round, events, adopt };
}

const LINKED: PluginReport = {
  plugin: { state: 'linked', platform: 'bukkit', software: 'x', version: '1', since: 0 },
  silentSince: null,
  inUse: null,
  isUseReported: true,
  count: { online: 0, max: 20 },
};

describe('a game server that does not answer status pings', () => {
  it('becomes RUNNING when its current process, not an earlier one, logs a completed start', async () => {
    const log = ['[INFO]: Done (1.0s)! For help, type "help"', 'Server stopped'];
    const { record, parts, round, events } = aServerWithoutPings(log);
    await noteLogEnd(record, parts);
    expect(await round()).toBe('STARTING');
    log.push('[INFO]: Preparing level', '[INFO]: Done preparing level "world" (2.0s)', '[INFO]: x');
    expect(await round()).toBe('STARTING');
    log.push('\u001b[32m[INFO]: Done (12,345s)! For help, type "help"');
    expect(await round()).toBe('RUNNING');
    expect(events.map(({ kind }) => kind)).toEqual(['service.running']);
    expect(events[0]?.cause).toContain('its log');
    expect(record).toMatchObject({ silentSince: null, unresponsive: false });
  });

  it('does not become RUNNING because of log lines of an earlier process, even after a new master has adopted it', async () => {
    const log = ['Server version 1', '[INFO]: Done (1.0s)! For help, type "help"', 'Server stopped'];
    const { record, parts, round, adopt } = aServerWithoutPings(log);
    const logEnd = await noteLogEnd(record, parts);
    log.push('[INFO]: Preparing level');
    adopt(logEnd);
    expect(await round()).toBe('STARTING');
    log.push('[INFO]: Done (2.0s)! For help, type "help"');
    expect(await round()).toBe('RUNNING');
  });

  it('becomes RUNNING after a new master has adopted it, even if old lines of its log were removed', async () => {
    const log = ['[INFO]: Done (1.0s)! For help, type "help"', 'Server stopped'];
    const { record, world, parts, round, adopt } = aServerWithoutPings(log);
    // The first master has seen 500 lines that are no longer stored. The next master counts from the first stored
    // line.
    world.firstLine = 500;
    const logEnd = await noteLogEnd(record, parts);
    world.firstLine = 0;
    log.push('[INFO]: Preparing level');
    adopt(logEnd);
    expect(await round()).toBe('STARTING');
    // Remove the first lines of the log, so that the noted line is no longer at its position.
    log.push('[INFO]: Done (2.0s)! For help, type "help"', 'a', 'b', 'c');
    log.splice(0, 3);
    adopt(logEnd);
    expect(await round()).toBe('RUNNING');
  });

  it('becomes RUNNING when its log reports a completed start, even if the log was empty before the start', async () => {
    const log: string[] = [];
    const { record, parts, round, adopt } = aServerWithoutPings(log);
    const logEnd = await noteLogEnd(record, parts);
    log.push('[INFO]: Done (2.0s)! For help, type "help"');
    adopt(logEnd);
    expect(await round()).toBe('RUNNING');
  });

  it('becomes RUNNING even because of an old log line about a completed start if an earlier Overworld version started it', async () => {
    const { round, adopt } = aServerWithoutPings(['[INFO]: Done (2.0s)! For help, type "help"', 'a', 'b']);
    adopt(null);
    expect(await round()).toBe('RUNNING');
  });

  it('becomes RUNNING when its plugin reports players, not when the plugin connects; then its log is not read again', async () => {
    const { world, round } = aServerWithoutPings(['starting']);
    expect(await round()).toBe('STARTING');
    world.plugin = { ...LINKED, count: null };
    expect(await round()).toBe('STARTING');
    const { reads } = world;
    world.plugin = LINKED;
    expect(await round()).toBe('RUNNING');
    expect(await round()).toBe('RUNNING');
    expect(world.reads).toBe(reads);
  });

  it('is in use while proxies report players on it', async () => {
    const { world, round } = aServerWithoutPings(['Done (1.0s)!']);
    expect(await round()).toBe('RUNNING');
    world.sessions = 2;
    expect(await round()).toBe('IN_USE');
    world.sessions = 0;
    expect(await round()).toBe('RUNNING');
  });

  it('is RUNNING after a restart of the master if its process was up and empty before the restart', async () => {
    const { record, round } = aServerWithoutPings(['no sign']);
    const lastUp = { startedAt: 999_000, state: 'RUNNING', since: 999_500, unusedSince: 999_500 } as const;
    Object.assign(record, { adoptedAt: 1_000_000, lastUp });
    expect(await round()).toBe('RUNNING');
  });
});

/**
 * Returns a game server without pings that the master has just adopted. The server was in use before the restart of
 * the master.
 *
 * @param plugin version of the plugin with which the server was started; null if it was started without a plugin
 */
function anAdoptedServerInUse(plugin: string | null) {
  const server = aServerWithoutPings(['no sign']);
  const placed = { values: { isProxy: false, maxPlayers: 20 }, given: { plugin }, statusOff: true };
  const lastUp = { startedAt: 999_000, state: 'IN_USE', since: 999_500, unusedSince: null } as const;
  Object.assign(server.record, { adoptedAt: 1_000_000, placed, lastUp });
  return server;
}

/** Returns a proxy that the master has just adopted, and that was started with the plugin. */
function anAdoptedProxy(): ServiceRecord {
  const id = 'proxy-1';
  return {
    ...newRecord({ id, template: 'proxy', requestedAt: 0, cause: 'a test', manual: false }),
    ...{ node: 'local', state: 'STARTING', startedAt: 999_000, adoptedAt: 1_000_000 },
    placed: startedFrom(serviceSpec({ id, isProxy: true, plugin: '1' })),
  };
}

describe('a game server that was in use before a restart of the master', () => {
  it.each([3, 0])(
    'stays in use until its plugin has reported both whether it is in use and %d players',
    async (online) => {
      const { world, record, round, events } = anAdoptedServerInUse('1');
      expect(await round()).toBe('IN_USE');
      expect(events.map(({ kind }) => kind)).toEqual(['service.in-use']);
      expect(events[0]?.cause).toContain('before the restart of the master');
      world.plugin = { ...LINKED, count: null, isUseReported: false };
      expect(await round()).toBe('IN_USE');
      world.plugin = { ...world.plugin, count: { online, max: 20 } };
      expect(await round()).toBe('IN_USE');
      world.plugin = { ...world.plugin, isUseReported: true };
      expect(await round()).toBe(online > 0 ? 'IN_USE' : 'RUNNING');
      expect(record).toMatchObject({ players: { online }, unusedSince: online > 0 ? null : world.now });
    },
  );

  it('stays in use for at most 30 s if its plugin does not report', async () => {
    const { world, round } = anAdoptedServerInUse('1');
    expect(await round()).toBe('IN_USE');
    world.now += 30_000;
    expect(await round()).toBe('IN_USE');
    world.now += 1;
    expect(await round()).toBe('RUNNING');
  });

  it('if it has no plugin, stays in use until the proxies have reported their players', async () => {
    const { world, round } = anAdoptedServerInUse(null);
    world.all.push(anAdoptedProxy());
    expect(await round()).toBe('IN_USE');
    world.isCounted = true;
    // Let the proxy answer a ping, too.
    Object.assign(world.all[1] ?? {}, { state: 'RUNNING', upAt: world.now });
    expect(await round()).toBe('RUNNING');
  });

  it('if it has no plugin, stays in use for at most 30 s while the proxies do not report', async () => {
    const { world, round } = anAdoptedServerInUse(null);
    world.all.push(anAdoptedProxy());
    expect(await round()).toBe('IN_USE');
    world.now += 30_001;
    expect(await round()).toBe('RUNNING');
  });

  it('is RUNNING at once if neither a plugin nor a proxy can report its players', async () => {
    expect(await anAdoptedServerInUse(null).round()).toBe('RUNNING');
  });
});
