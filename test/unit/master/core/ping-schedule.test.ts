import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_PING_PERIODS as PERIODS,
  pingPauseMs,
  pingSpread,
  type PingHistory,
} from '#master/core/ping-schedule.ts';

const UP: PingHistory = { startingForMs: null, linked: false, answered: true, spread: 0 };

describe('pingPauseMs (delay before the next status ping of a service)', () => {
  it('is 10 ms for a service that was never pinged', () => {
    expect(pingPauseMs({ ...UP, linked: true, answered: null }, PERIODS)).toBe(10);
  });

  it('grows to up to 500 ms while a service is starting', () => {
    const pauseAfter = (startingForMs: number): number =>
      pingPauseMs({ ...UP, startingForMs, answered: false }, PERIODS);
    expect([100, 5_000, 60_000, 86_400_000].map(pauseAfter)).toEqual([10, 100, 500, 500]);
  });

  it('is 1 min while the plugin is connected and the service answers, and 1 s otherwise', () => {
    expect(pingPauseMs({ ...UP, linked: true }, PERIODS)).toBe(60_000);
    expect(pingPauseMs({ ...UP, linked: true, answered: false }, PERIODS)).toBe(1_000);
    expect(pingPauseMs(UP, PERIODS)).toBe(1_000);
  });

  it('is a random value between 90 % and 100 % of the configured period', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (id, linked) => {
        const period = linked ? PERIODS.linkedMs : PERIODS.usualMs;
        const pause = pingPauseMs({ ...UP, linked, spread: pingSpread(id) }, PERIODS);
        expect(pause).toBeLessThanOrEqual(period);
        expect(pause).toBeGreaterThanOrEqual(period * 0.9);
      }),
    );
  });
});

describe('pingSpread (spreads the pings of services over time)', () => {
  it('spreads consecutive service ids evenly', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let number = 1; number <= 1_000; number += 1) {
      const tenth = Math.floor(pingSpread(`lobby-${number}`) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 100)).toBeLessThan(40);
  });
});
