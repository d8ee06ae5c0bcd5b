import { describe, expect, it } from 'vitest';
import { toClockOffset } from '#main/connections/clock-offset.ts';

const MINUTE = 60_000;
const call = { sentAt: 100_000, receivedAt: 101_000 };

describe('toClockOffset (difference between the clocks of the master and the app)', () => {
  it('compares the time of the master with the middle of the call', () => {
    expect(toClockOffset(call, 100_500 - 10 * MINUTE)).toBe(-10 * MINUTE);
    expect(toClockOffset(call, 100_500 + 10 * MINUTE)).toBe(10 * MINUTE);
  });

  it('is a whole number', () => {
    expect(toClockOffset({ sentAt: 0, receivedAt: 5 }, MINUTE)).toBe(59_998);
  });

  it('is 0 if the clocks differ by at most 2 s', () => {
    expect([98_500, 102_500].map((now) => toClockOffset(call, now))).toEqual([0, 0]);
    expect([98_499, 102_501].map((now) => toClockOffset(call, now))).toEqual([-2_001, 2_001]);
  });

  it('is 0 if the difference may only be the duration of the call', () => {
    expect(toClockOffset({ sentAt: 0, receivedAt: 20_000 }, 20_000)).toBe(0);
    expect(toClockOffset({ sentAt: 0, receivedAt: 20_000 }, 20_001)).toBe(10_001);
  });

  it('is 0 for an older master, which does not report its time', () => {
    expect(toClockOffset(call, undefined)).toBe(0);
  });
});
