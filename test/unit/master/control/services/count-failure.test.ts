import { expect, it } from 'vitest';
import { countFailure } from '#master/control/services/fail.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { newRecord } from '#master/state/services/records.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Returns a function that counts the failure of a service whose start began at 1,000,000. */
function aTemplate() {
  const time = { now: 1_000_000 };
  const context = {
    startBackoffs: new StartBackoffs(DEFAULT_BACKOFF),
    nodeBackoff: new NodeBackoff(DEFAULT_BACKOFF),
    events: { add: () => expect.unreachable('no node is at fault') },
    now: () => time.now,
    // Counting uses only these fields.
  } as unknown as Parameters<typeof countFailure>[2];
  return (now: number, number: number, { upAt = null, ...failure }: Failure) => {
    const fields = { id: `survival-${number}`, template: 'survival', cause: 'a test', manual: false };
    const record = newRecord({ ...fields, requestedAt: 1_000_000 });
    Object.assign(record, { node: 'node-1', since: 1_000_000, upAt });
    time.now = now;
    return countFailure(record, failure, context);
  };
}

type Failure = Parameters<typeof countFailure>[1] & { readonly upAt?: number | null };

it('starts that one full disk of the master stops count as one failure, and none is announced for the past', () => {
  const count = aTemplate();
  const error = new OverworldError('DISK_FULL', { path: '/var/lib/overworld' });
  const failAt = (now: number, number: number) => count(now, number, { error, isOnMaster: true });
  expect(failAt(1_005_000, 1)).toEqual({ attempts: 1, next: 'retried in 5 s' });
  expect(failAt(1_007_000, 2)).toEqual({ attempts: 1, next: 'retried in 3 s' });
  expect(failAt(1_044_000, 3)).toEqual({ attempts: 1, next: 'retried immediately' });
});

it('starts that time out together count as one failure', () => {
  const count = aTemplate();
  const timedOutMs = 300_000;
  const error = new OverworldError('SERVICE_EXITED', { service: 'x', exit: 'a test', lastLine: null });
  const failAt = (now: number, number: number) => count(now, number, { error, timedOutMs });
  expect(failAt(1_300_000, 1)).toEqual({ attempts: 1, next: 'retried in 300 s' });
  for (const number of [2, 3, 4, 5])
    expect(failAt(1_300_100, number)).toEqual({ attempts: 1, next: 'retried in 300 s' });
});

it('services that were up and crash together count as one failure each', () => {
  const count = aTemplate();
  const error = new OverworldError('SERVICE_EXITED', { service: 'x', exit: 'a test', lastLine: null });
  const attempts = [1, 2].map((number) => count(1_030_000, number, { error, upAt: 1_010_000 }).attempts);
  expect(attempts).toEqual([1, 2]);
});
