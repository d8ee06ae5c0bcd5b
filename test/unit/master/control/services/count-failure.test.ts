import { expect, it } from 'vitest';
import { countFailure } from '#master/control/services/fail.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { newRecord } from '#master/state/services/records.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

it('starts that one full disk of the master stops count as one failure, and none is announced for the past', () => {
  const time = { now: 1_000_000 };
  const context = {
    startBackoffs: new StartBackoffs(DEFAULT_BACKOFF),
    nodeBackoff: new NodeBackoff(DEFAULT_BACKOFF),
    events: { add: () => expect.unreachable('no node is at fault') },
    now: () => time.now,
    // Counting uses only these fields.
  } as unknown as Parameters<typeof countFailure>[2];
  const error = new OverworldError('DISK_FULL', { path: '/var/lib/overworld' });
  const failAt = (now: number, number: number) => {
    const fields = { id: `survival-${number}`, template: 'survival', cause: 'a test', manual: false };
    const record = newRecord({ ...fields, requestedAt: 1_000_000 });
    Object.assign(record, { node: 'node-1', since: 1_000_000 });
    time.now = now;
    return countFailure(record, { error, isOnMaster: true }, context);
  };
  expect(failAt(1_005_000, 1)).toEqual({ attempts: 1, next: 'retried in 5 s' });
  expect(failAt(1_007_000, 2)).toEqual({ attempts: 1, next: 'retried in 3 s' });
  expect(failAt(1_044_000, 3)).toEqual({ attempts: 1, next: 'retried immediately' });
});
