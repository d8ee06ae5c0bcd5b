import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '#master/runtime/runtime.ts';
import { Evictions } from '#master/state/services/evictions.ts';
import { openUnsavedFiles } from '#master/state/services/unsaved-files.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MINUTE = 60_000;

/** Returns evictions with a clock that the test sets. Each attempt to save files fails. */
function refusing(failure: OverworldError, stored?: Awaited<ReturnType<typeof openUnsavedFiles>>) {
  const clock = { now: 0 };
  const calls = { saves: 0, stops: 0 };
  // Evictions use only stop() of a runtime.
  const runtimeOf = () =>
    ({
      stop: () => {
        calls.stops += 1;
        return Promise.resolve(null);
      },
    }) satisfies Partial<Runtime> as unknown as Runtime;
  const keep = () => {
    calls.saves += 1;
    return Promise.reject(failure);
  };
  const log = pino({ level: 'silent' });
  const known = { runtimeOf, keep, log, ...(stored === undefined ? {} : { stored }) };
  const evictions = new Evictions(known, MINUTE, () => clock.now);
  /** Calls `clear` every 10 s. Returns the times (s) of the calls that tried to save the files. */
  const attemptsWithin = async (seconds: number): Promise<number[]> => {
    const at: number[] = [];
    for (let second = 0; second < seconds; second += 10) {
      const before = calls.saves;
      await evictions.clear('node-1', 'survival-1');
      if (calls.saves > before) at.push(second);
      clock.now += 10_000;
    }
    return at;
  };
  return { evictions, clock, calls, attemptsWithin };
}

const limit = new OverworldError('SEPARATE_SAVES_LIMIT', {
  volume: 'survival/1',
  node: 'node-1',
  limit: 3,
});
const failed = new OverworldError('VOLUME_SAVE_FAILED', {
  volume: 'survival/1',
  node: 'node-1',
  why: 'a test',
});

describe('the failed attempts to save the files of an exited service', () => {
  it('are repeated every 10 s', async () => {
    expect(await refusing(failed).attemptsWithin(40)).toEqual([0, 10, 20, 30]);
  });

  it('become less frequent, down to one an hour, while there are too many separate saves', async () => {
    const { attemptsWithin } = refusing(limit);
    const at = await attemptsWithin(4 * 3_600);
    expect(at.slice(0, 5)).toEqual([0, 10, 30, 70, 150]);
    expect((at.at(-1) ?? 0) - (at.at(-2) ?? 0)).toBe(3_600);
  });

  it('delay a stop by at most 10 s if the service runs on the same node again', async () => {
    const { evictions, clock, calls, attemptsWithin } = refusing(limit);
    await attemptsWithin(3_600);
    clock.now += 10_000;
    await evictions.end('node-1', 'survival-1');
    expect(calls.stops).toBe(1);
  });
});

describe('the files of a service that does not belong on its node', () => {
  it('count as unsaved while they are being saved', async () => {
    let finish = (): void => undefined;
    const saved = new Promise<void>((resolve) => (finish = resolve));
    const runtime: Partial<Runtime> = { forget: () => Promise.resolve() };
    const known = { runtimeOf: () => runtime as Runtime, keep: () => saved, log: pino({ level: 'silent' }) };
    const evictions = new Evictions(known, 1);
    await evictions.clear('node-1', 'survival-1');
    expect(evictions.unsavedOn('node-1', true)).toEqual(['survival-1']);
    expect(evictions.unsavedOn('node-2', true)).toEqual([]);
    finish();
    await waitFor(() => Promise.resolve(evictions.unsavedOn('node-1', true).length === 0), {
      what: 'the files to be saved',
    });
  });

  it('do not count as unsaved if their node cannot be reached, because there may be none', async () => {
    const { evictions } = refusing(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'a test' }));
    await evictions.clear('node-1', 'lobby-1');
    expect(evictions.unsavedOn('node-1', false)).toEqual([]);
  });

  it('still count as unsaved after a restart of the master, until they no longer exist', async () => {
    const path = join(temporaryFolder(), 'unsaved-files.json');
    const restarted = async () => refusing(failed, await openUnsavedFiles(path)).evictions;
    await (await restarted()).clear('node-1', 'survival-1');
    const evictions = await restarted();
    expect(evictions.unsavedOn('node-1', true)).toEqual(['survival-1']);
    await evictions.forgetRemoved(() => true);
    expect((await restarted()).unsavedOn('node-1', true)).toEqual(['survival-1']);
    await evictions.forgetRemoved(() => false);
    expect((await restarted()).unsavedOn('node-1', true)).toEqual([]);
  });
});
