import { describe, expect, it } from 'vitest';
import { LastFailure } from '#master/volumes/last-failure.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

const SECOND = 1_000;
const NODE = 'node-1';

const overQuota = new OverworldError('VOLUME_QUOTA', {
  ...{ volume: 'survival/1', setting: 'volumes.quota.perVolume', needsMb: 30, limitMb: 20 },
});
const unreadable = new OverworldError('VOLUME_SAVE_FAILED', {
  ...{ volume: 'survival/1', node: NODE, why: 'input/output error' },
});
const lasting = [
  overQuota,
  new OverworldError('DISK_RESERVED', { path: '/data', why: '1 GB is reserved' }),
  new OverworldError('DISK_FULL', { path: '/data' }),
];

/** Creates a LastFailure with a clock and settings that the test can change. */
function failures() {
  const time = { clock: 0 };
  const config = { volumes: masterConfigSchema.parse({}).volumes };
  const around = { settings: () => config.volumes, changed: () => undefined, now: () => time.clock };
  const failure = new LastFailure(around, false, () => time.clock);
  /** Notes a failure each time that a further attempt is allowed. Returns the delay before each failure (s). */
  const delays = (error: OverworldError, count: number): number[] => {
    const found: number[] = [];
    for (let seconds = 0; found.length < count;) {
      time.clock += SECOND;
      seconds += 1;
      if (failure.recentOn(NODE) !== null) continue;
      failure.note(NODE, error);
      found.push(seconds);
      seconds = 0;
    }
    return found;
  };
  return { time, config, failure, delays };
}

describe('the delay before the files of an exited service are collected again', () => {
  it.each(lasting)('grows from 10 s to 10 min while saves fail with $code', (error) => {
    const { failure, delays } = failures();
    failure.note(NODE, error);
    expect(delays(error, 8)).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
    expect(failure.recentOn(NODE)).toBe(error);
    expect(failure.recentOn('node-2')).toBeNull();
  });

  it('stays 10 s after other failures', () => {
    const { failure, delays } = failures();
    failure.note(NODE, unreadable);
    expect(delays(unreadable, 4)).toEqual([10, 10, 10, 10]);
  });

  it('ends if the settings of volumes change', () => {
    const { failure, config, delays } = failures();
    failure.note(NODE, overQuota);
    delays(overQuota, 5);
    expect(failure.recentOn(NODE)).toBe(overQuota);
    config.volumes = { ...config.volumes, quota: { ...config.volumes.quota, perVolume: 40 } };
    expect(failure.recentOn(NODE)).toBeNull();
    failure.note(NODE, overQuota);
    expect(delays(overQuota, 2)).toEqual([10, 20]);
  });

  it('ends if a person wants another attempt', () => {
    const { failure, delays } = failures();
    failure.note(NODE, overQuota);
    delays(overQuota, 5);
    failure.endDelays();
    expect(failure.recentOn(NODE)).toBeNull();
  });

  it('is not affected by failures on other nodes', () => {
    const { failure, delays } = failures();
    failure.note(NODE, overQuota);
    delays(overQuota, 3);
    failure.note('node-2', unreadable);
    expect(failure.recentOn(NODE)).toBe(overQuota);
  });
});
