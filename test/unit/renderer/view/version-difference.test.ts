import { describe, expect, it } from 'vitest';
import { toNeededUpdate, toVersionDifference } from '#renderer/view/version-difference.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';

const at = (steps: number) => ({
  status: 'connected' as const,
  master: { version: '7.7.7', apiVersion: API_VERSION + steps },
});

describe('toVersionDifference (describes that app and master have different versions)', () => {
  it('returns null if both have the same API version, or if they are not connected', () => {
    expect(toVersionDifference(at(0))).toBeNull();
    expect(toVersionDifference({ ...at(1), status: 'waiting' })).toBeNull();
    expect(toVersionDifference({ status: 'connecting', master: null })).toBeNull();
    expect(toVersionDifference(null)).toBeNull();
  });

  it('names the features that an older master lacks', () => {
    const missing = (apiVersion: number): readonly string[] =>
      apiVersion === API_VERSION - 1 ? ['backups', 'moving the network'] : [];
    expect(toVersionDifference(at(-1), missing)).toEqual({
      text: `This master is version 7.7.7, the app is ${VERSION}. Not available here: backups, moving the network.`,
      update: 'master',
    });
    expect(toVersionDifference(at(-1), () => [])?.text).toBe(
      `This master is version 7.7.7, the app is ${VERSION}.`,
    );
  });

  it('says that the app does not show the new features of a newer master', () => {
    expect(toVersionDifference(at(1))).toMatchObject({ update: 'app' });
    expect(toVersionDifference(at(1))?.text).toContain('What is new in the master is not shown.');
  });
});

it('toNeededUpdate returns the program with the older version', () => {
  const versions = { address: 'a:1', master: '0.1.0', app: '0.3.0' };
  const far = (theirs: number, ours: number) =>
    toNeededUpdate(new OverworldError('API_VERSION_MISMATCH', { ...versions, theirs, ours }));
  expect([far(2, 4), far(4, 2)]).toEqual(['master', 'app']);
  const details = { ...versions, what: 'players.send', update: 'master' } as const;
  expect(toNeededUpdate(new OverworldError('UNSUPPORTED_BY_MASTER', details))).toBe('master');
  expect(toNeededUpdate(new OverworldError('CONNECTION_LOST', { address: 'a:1' }))).toBeNull();
  expect(toNeededUpdate(null)).toBeNull();
});
