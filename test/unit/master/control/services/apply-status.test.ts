import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { applyStatus } from '#master/control/services/apply-status.ts';
import { noteLogEnd, noteUnpingedStart } from '#master/control/services/unpinged-start.ts';
import type { PluginReport } from '#master/link/link.ts';

import type { LogEnd } from '#master/runtime/runtime.ts';
import { backToRequested, newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/**
 * Returns a game server. `says` lets the server answer a ping with a number of players, by default 100 ms after the
 * previous ping.
 */
function aGame() {
  const events: { readonly kind: string; readonly cause: string }[] = [];
  let now = 1_000_000;
  const parts = {
    events: { add: (event: { kind: string; cause: string }) => events.push(event) },
    now: () => now,
    link: noLink(),
    limits: { unresponsiveAfterMs: 30_000 },
    nodeBackoff: { recovered: () => undefined },
    // applyStatus reads only these fields.
  } as unknown as Parameters<typeof applyStatus>[2];
  const record = {
    ...{ id: 'lobby-1', template: 'lobby', state: 'RUNNING', startedAt: 5, adoptedAt: null },
    ...{ upAt: 6, declaredInUse: null, placed: null },
    ...{ players: { online: 0, max: 20 }, silentSince: null, unresponsive: false, stopping: null },
    // The other fields of a record are not used.
  } as unknown as ServiceRecord;
  const says = (online: number, afterMs = 100): void => {
    now += afterMs;
    applyStatus(record, { answer: { players: { online, max: 20 } }, at: now, silentSince: null }, parts);
  };
  return { events, record, says };
}

describe('an empty service', () => {
  it('counts as unused only from now on if the clock was set back', () => {
    const { record, says } = aGame();
    says(3);
    says(0);
    const before = record.unusedSince ?? 0;
    says(0, 60_000);
    expect(record.unusedSince).toBe(before);
    says(0, -3_600_000);
    expect(record.unusedSince).toBe(before - 3_540_000);
  });
});

it('a service counts as up only from now on if the clock was set back', () => {
  const { record, says } = aGame();
  record.upAt = 1_000_000;
  says(0, 60_000);
  expect(record.upAt).toBe(1_000_000);
  says(0, -3_600_000);
  expect(record.upAt).toBe(-2_540_000);
});

it('counts the time for which a service is up on over restarts of the master', () => {
  const { record, says } = aGame();
  const restartMaster = (): void => {
    Object.assign(record, { adoptedAt: record.since, upAt: null, state: 'STARTING' });
  };
  Object.assign(record, { state: 'STARTING', upAt: null, lastUp: null });
  says(0);
  const upAt = record.upAt;
  says(2, 10_000);
  for (let restarts = 0; restarts < 3; restarts++) {
    restartMaster();
    says(0, 10_000);
    expect(record.upAt).toBe(upAt);
  }
  // Another process has been up for its own time only.
  Object.assign(record, { startedAt: 1_030_000 });
  restartMaster();
  says(0, 10_000);
  expect(record.upAt).toBe(1_050_100);
});

it('counts the time for which a service is up from its last change of state if an older master stored no more', () => {
  const { record, says } = aGame();
  const lastUp = { startedAt: 5, state: 'IN_USE', since: 900_000, unusedSince: null } as const;
  Object.assign(record, { adoptedAt: 1_000_000, upAt: null, state: 'STARTING', lastUp });
  says(0);
  expect(record.upAt).toBe(900_000);
});

describe('a service that alternates between in use and empty', () => {
  it('causes an event for each change if it changes rarely', () => {
    const { events, says } = aGame();
    for (let round = 0; round < 10; round++) {
      says(3, 30_000);
      says(0, 30_000);
    }
    expect(events).toHaveLength(20);
    expect(events[0]).toMatchObject({ kind: 'service.in-use', cause: '3 of 20 players are on it' });
    expect(events[1]).toMatchObject({ kind: 'service.running', cause: 'the last player left' });
  });

  it('causes at most 30 events in five minutes if it changes often', () => {
    const { events, record, says } = aGame();
    for (let round = 0; round < 3_000; round++) {
      says(3);
      expect(record.state).toBe('IN_USE');
      says(0);
      expect(record.state).toBe('RUNNING');
    }
    // At most thirty events per five minutes are added, and the test takes ten minutes.
    expect(events).toHaveLength(60);
    expect(events[30]?.cause).toMatch(/; changed [0-9]+ times since the last event$/);
    expect(events[31]?.cause).toBe('the last player left');
  });
});

/**
 * Returns a service in a crash loop. The test controls when the service crashes, and reads the failure after each
 * ping.
 */
function aCrashLoop() {
  let now = 1_000_000;
  const parts = {
    events: { add: () => undefined },
    now: () => now,
    link: noLink(),
    limits: { unresponsiveAfterMs: 30_000 },
    nodeBackoff: { recovered: () => undefined },
    // applyStatus reads only these fields.
  } as unknown as Parameters<typeof applyStatus>[2];
  const record = newRecord({ id: 'lobby-1', template: 'lobby', requestedAt: now, cause: '', manual: false });
  const error = toWire(
    new OverworldError('SERVICE_EXITED', { service: 'lobby-1', exit: '', lastLine: null }),
  );
  /**
   * Starts the service, and pings it every second while it is up.
   *
   * @returns the failure of the service after each ping
   */
  const run = (startMs: number, upMs: number): ServiceRecord['failure'][] => {
    Object.assign(record, { state: 'STARTING', node: 'local', startedAt: now });
    now += startMs;
    const seen = [];
    for (let up = 0; up <= upMs; up += 1_000) {
      applyStatus(
        record,
        { answer: { players: { online: up % 2, max: 20 } }, at: now, silentSince: null },
        parts,
      );
      seen.push(record.failure);
      now += 1_000;
    }
    return seen;
  };
  const crash = (): void => {
    record.failure = { at: now, error, attempts: 1 };
    backToRequested(record, now);
  };
  return { run, crash };
}

describe('the failure that is shown for a service', () => {
  it('remains visible if each new attempt runs for at most a minute', () => {
    const attempt = fc.record({ startMs: fc.nat(60_000), upMs: fc.nat(60_000) });
    const property = fc.property(fc.array(attempt, { minLength: 1, maxLength: 10 }), (attempts) => {
      const { run, crash } = aCrashLoop();
      for (const { startMs, upMs } of attempts) {
        crash();
        expect(run(startMs, upMs)).not.toContain(null);
      }
    });
    fc.assert(property);
  });

  it('is removed once the service has run for more than a minute', () => {
    const { run, crash } = aCrashLoop();
    crash();
    const seen = run(5_000, 120_000);
    expect(seen.slice(0, 61)).not.toContain(null);
    expect(new Set(seen.slice(61))).toEqual(new Set([null]));
  });
});

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
