import { describe, expect, it } from 'vitest';
import { hasFinished } from '#master/cli/upgrade/decide/has-finished.ts';

const last = { before: '1.0.0', version: '1.1.0' };
const answer = { version: '1.1.0', hasSynced: true, sshReady: true, observed: [], unobserved: [] };
const now = { installed: '1.1.0', program: '1.1.0', answer };

describe('hasFinished (whether an interrupted upgrade has finished)', () => {
  it('is true if the new version makes decisions', () => {
    expect(hasFinished(last, now)).toBe(true);
  });

  it.each([
    { says: 'no master answers', change: { answer: null } },
    { says: 'the old master still runs', change: { answer: { ...answer, version: '1.0.0' } } },
    { says: 'the new master makes no decisions yet', change: { answer: { ...answer, hasSynced: false } } },
    { says: 'the old version is installed', change: { installed: '1.0.0', program: '1.0.0' } },
  ])('is false if $says', ({ change }) => {
    expect(hasFinished(last, { ...now, ...change })).toBe(false);
  });

  it('is false if both versions are equal, because they cannot be told apart', () => {
    expect(hasFinished({ before: '1.1.0', version: '1.1.0' }, now)).toBe(false);
  });
});
