import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tasks } from '#renderer/stores/files/tasks.svelte.ts';
import { toTaskLine, toTaskShare } from '#renderer/view/format/task.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { installBridge } from '../../support/window-world.ts';

let bridge: FakeBridge;
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  bridge = new FakeBridge().answerCall('files.cancel', () => ({}));
  installBridge(bridge);
  stop = tasks.connect();
});
afterEach(() => {
  stop();
  for (const { id } of tasks.list) tasks.forget(id);
  vi.useRealTimers();
});

describe('the running tasks that the window shows', () => {
  it('do not include tasks of less than a second', async () => {
    await tasks.run('Copying', () => Promise.resolve());
    await vi.advanceTimersByTimeAsync(2000);
    expect(tasks.list).toEqual([]);
  });

  it('contain the progress from the master, and stay visible after they are done', async () => {
    let finish: (value: string) => void = () => undefined;
    let id = '';
    const result = tasks.run('Copying 3 files', (task) => {
      id = task;
      return new Promise<string>((resolve) => (finish = resolve));
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(tasks.running).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    bridge.push('notification', {
      name: 'files.progress',
      params: { task: id, files: { done: 1, total: 3 }, bytes: { done: 512, total: 2048 } },
    });
    const [task] = tasks.running;
    if (task === undefined) throw new Error('it is not shown');
    expect(toTaskShare(task)).toBe(0.25);
    expect(toTaskLine(task, Date.now())).toMatch(/^1 of 3 files · 512 B of 2/);
    finish('copied');
    expect(await result).toBe('copied');
    expect(tasks.running).toEqual([]);
    expect(tasks.shown).toMatchObject([{ label: 'Copying 3 files', state: 'done' }]);
    tasks.clear();
    expect(tasks.list).toEqual([]);
  });

  it('can be cancelled, which does not count as a failure', async () => {
    let refuse: (error: Error) => void = () => undefined;
    let id = '';
    const work = tasks.run('Searching', (task) => {
      id = task;
      return new Promise((_resolve, reject) => (refuse = reject));
    });
    await vi.advanceTimersByTimeAsync(1500);
    await tasks.cancel(id);
    expect(bridge.askedFor('files.cancel')).toEqual([{ task: id }]);
    expect(tasks.running).toMatchObject([{ state: 'cancelling' }]);
    refuse(new OverworldError('TASK_CANCELLED', { task: 'The search' }));
    await expect(work).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(tasks.list).toEqual([]);
  });

  it('contain the reason for a failure, and stay visible after the failure', async () => {
    const error = new OverworldError('DISK_FULL', { path: '/files' });
    await expect(tasks.run('Copying', () => Promise.reject(error))).rejects.toBe(error);
    expect(tasks.shown).toMatchObject([{ state: 'failed', error }]);
  });
});
