import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { applyStatus } from '#master/control/services/apply-status.ts';
import type { PluginReport } from '#master/link/link.ts';
import { backToRequested, newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { noLink } from '#test/support/link/no-ingress.ts';

/**
 * Returns a game server. `says` lets the server answer a ping with a number of players, by default 100 ms after the
 * previous ping.
 */
function aGame() {
  const events: { readonly kind: string; readonly cause: string }[] = [];
  let now = 1_000_000;
  const world = { plugin: null as PluginReport | null };
  const parts = {
    events: { add: (event: { kind: string; cause: string }) => events.push(event) },
    now: () => now,
    link: { ...noLink(), reportOf: () => world.plugin },
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
  /** Applies a ping that was not answered. */
  const hangs = (afterMs = 100): void => {
    now += afterMs;
    applyStatus(record, { answer: null, at: now, silentSince: 1_000_000 }, parts);
  };
  return { events, record, says, hangs, world };
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

describe('a server that answers no pings after a restart of the master', () => {
  const plugin: PluginReport = {
    plugin: { state: 'linked', platform: 'bukkit', software: 'x', version: '1', since: 0 },
    silentSince: null,
    inUse: null,
    isUseReported: true,
    count: { online: 3, max: 20 },
  };
  const anAdopted = () => {
    const game = aGame();
    const lastUp = {
      startedAt: 5,
      state: 'IN_USE',
      since: 900_000,
      unusedSince: null,
      upAt: 800_000,
    } as const;
    Object.assign(game.record, { adoptedAt: 1_000_000, upAt: null, state: 'STARTING', lastUp });
    return game;
  };

  it('is in use if its plugin reports players, and unresponsive after a while', () => {
    const { record, hangs, world } = anAdopted();
    hangs();
    expect(record.state).toBe('STARTING');
    world.plugin = plugin;
    hangs();
    expect(record).toMatchObject({
      ...{ state: 'IN_USE', players: { online: 3, max: 20 }, upAt: 800_000, unresponsive: false },
    });
    hangs(30_000);
    expect(record).toMatchObject({ state: 'IN_USE', unresponsive: true });
  });

  it('is starting if it is another process than before the restart', () => {
    const { record, hangs, world } = anAdopted();
    world.plugin = plugin;
    record.startedAt = 60_000;
    hangs();
    expect(record.state).toBe('STARTING');
  });
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
