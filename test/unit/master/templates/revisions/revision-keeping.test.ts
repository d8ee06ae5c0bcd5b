import { describe, expect, it } from 'vitest';
import { revisionsToRemove } from '#master/templates/revisions/revision-keeping.ts';

const DAY = 24 * 3_600_000;
const NOW = 100 * DAY;

/** Returns revisions `r0` (newest), `r1` and so on, by the number of days since each was stored. */
const stored = (...daysAgo: number[]) =>
  daysAgo.map((days, index) => ({ revision: `r${index}`, storedAt: NOW - days * DAY, files: 1, bytes: 1 }));

describe('revisionsToRemove (old revisions of a template to delete)', () => {
  it.each([
    {
      it: 'the eleventh and older revisions',
      revisions: stored(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
      want: ['r10', 'r11'],
    },
    { it: 'none of ten revisions', revisions: stored(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), want: [] },
    {
      it: 'revisions that were replaced more than 30 days ago',
      revisions: stored(0, 29, 31, 50),
      want: ['r3'],
    },
    { it: 'none of the two newest revisions', revisions: stored(40, 90), want: [] },
    { it: 'nothing if there are no revisions', revisions: [], want: [] },
  ])('returns $it', ({ revisions, want }) => {
    expect(revisionsToRemove(revisions, NOW, () => false)).toEqual(want);
    expect(revisionsToRemove([...revisions].reverse(), NOW, () => false)).toEqual(want);
  });

  it('never returns a revision that a service was started from', () => {
    expect(revisionsToRemove(stored(0, 1, 50, 90), NOW, (revision) => revision === 'r3')).toEqual([]);
  });
});
