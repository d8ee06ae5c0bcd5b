import { describe, expect, it } from 'vitest';
import { toAge, toCountdown, toDuration, toMoment } from '#renderer/view/format/time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('toDuration (formats a length of time)', () => {
  it.each([
    ['zero', 0, '0 s'],
    ['a negative duration (the clocks differ)', -5000, '0 s'],
    ['the last millisecond of a minute', MINUTE - 1, '59 s'],
    ['a whole minute', MINUTE, '1 m'],
    ['minutes and seconds', 95 * SECOND, '1 m 35 s'],
    ['whole hours without minutes', 2 * HOUR, '2 h'],
    ['hours and minutes', 3 * HOUR + 7 * MINUTE + 59 * SECOND, '3 h 7 m'],
    ['days and hours', 5 * DAY + 23 * HOUR, '5 d 23 h'],
  ])('formats %s', (_case, ms, want) => expect(toDuration(ms)).toBe(want));
});

describe('toAge (formats the time since an event)', () => {
  const now = 10 * DAY;
  it.each([
    ['less than 5 s', now - 4999, 'now'],
    ['an event in the future (the clocks differ)', now + HOUR, 'now'],
    ['seconds', now - 40 * SECOND, '40 s'],
    ['minutes', now - 2 * MINUTE - 59 * SECOND, '2 m'],
    ['hours up to two days', now - 47 * HOUR, '47 h'],
    ['days', now - 2 * DAY, '2 d'],
  ])('formats %s', (_case, at, want) => expect(toAge(at, now)).toBe(want));
});

describe('toCountdown (formats the time until an event)', () => {
  it('rounds up, and never returns 0 s while time remains', () => {
    expect(toCountdown(1001, 1000)).toBe('in 1 s');
    expect(toCountdown(13_000, 1000)).toBe('in 12 s');
  });

  it('returns "now" when no time remains', () => expect(toCountdown(1000, 1000)).toBe('now'));
});

describe('toMoment (formats a date with time)', () => {
  const now = new Date(2026, 2, 1, 18, 30).getTime();
  it('returns the time with seconds for a moment today', () => {
    expect(toMoment(new Date(2026, 2, 1, 0, 4, 9).getTime(), now)).toMatch(/^00.04.09/);
  });
  it('returns the date without seconds for another day', () => {
    const moment = toMoment(new Date(2026, 1, 28, 21, 25, 11).getTime(), now);
    expect(moment).toMatch(/28/);
    expect(moment).toMatch(/21.25/);
    expect(moment).not.toMatch(/21.25.11/);
  });
});
