import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationNotations, readDuration, writeDuration } from '#renderer/view/format/duration.ts';

describe('readDuration (reads a duration that the user has typed)', () => {
  it.each([
    ['2 min', 120_000],
    ['2m', 120_000],
    ['1h 30m', 5_400_000],
    ['1.5 hours', 5_400_000],
    ['1,5 h', 5_400_000],
    ['90', 90_000],
    ['0', 0],
    ['250 ms', 250],
    ['1 Day 2 Hours', 93_600_000],
    ['0.1 ms', null],
    ['-1', null],
    ['2 weeks', null],
    ['min', null],
    ['1 2', null],
    ['', null],
  ])('reads %j as %s ms', (text, want) => {
    expect(readDuration(text)).toBe(want);
  });

  it('reads each text that writeDuration can return', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_592_000_000 }), (ms) => {
        expect(readDuration(writeDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('durationNotations (texts for a duration in an input field)', () => {
  it.each([
    ['120000', '2 min'],
    ['5430000', '1 h 30 min 30 s'],
    ['0', '0 s'],
    ['soon', 'soon'],
  ])('writes %j as %j', (value, want) => {
    expect(durationNotations.ms.show(value)).toBe(want);
  });

  it('have a step of one minute, second or millisecond: the smallest unit in the text', () => {
    expect(['120000', '90000', '250', '0'].map(durationNotations.ms.stepOf)).toEqual([60_000, 1000, 1, 1000]);
  });
});
