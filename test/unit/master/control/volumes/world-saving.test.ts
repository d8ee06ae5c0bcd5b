import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorldSaving } from '#master/control/volumes/world-saving.ts';
import type { LogListener } from '#master/runtime/log/log-reader.ts';

const ID = 'survival-1';

/** A console that prints `answers[command]`. A command without an entry is not answered. */
function aConsole(answers: Record<string, string>) {
  const sent: string[] = [];
  let print: LogListener = () => undefined;
  const server = { isReachable: true, answers };
  const runtime = {
    command: (_: string, line: string) => {
      if (!server.isReachable) return Promise.reject(new Error('the node cannot be reached'));
      sent.push(line);
      const text = server.answers[line];
      if (text !== undefined) print([{ seq: sent.length, text }], false);
      return Promise.resolve();
    },
    followLog: (_id: string, _lines: number, listener: LogListener) => {
      print = listener;
      return Promise.resolve({ lines: [], close: () => undefined });
    },
  };
  return { sent, server, runtime };
}

const MINECRAFT = {
  'save-off': '[12:00:00 INFO]: Automatic saving is now disabled',
  'save-all flush': '[12:00:01 INFO]: Saved the game',
};

describe('a server whose worlds are copied', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is not resumed by a round of the control loop before its copy is complete', async () => {
    const { sent, runtime } = aConsole(MINECRAFT);
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    const copy = () => Promise.resolve({ sent: [...sent], paused: [...worlds.paused] });
    expect(await worlds.whilePaused(ID, runtime, copy)).toEqual({
      result: { sent: ['save-off', 'save-all flush'], paused: [] },
      consistent: true,
    });
    expect(sent.at(-1)).toBe('save-on');
    expect([...worlds.paused]).toEqual([]);
  });

  it('is resumed later if it cannot be resumed after the copy', async () => {
    const { sent, server, runtime } = aConsole(MINECRAFT);
    const worlds = new WorldSaving();
    await worlds.whilePaused(ID, runtime, () => {
      server.isReachable = false;
      return Promise.resolve();
    });
    expect([...worlds.paused]).toEqual([ID]);
    server.isReachable = true;
    await worlds.resume(ID, runtime);
    expect([...worlds.paused]).toEqual([]);
    expect(sent).toEqual(['save-off', 'save-all flush', 'save-on']);
  });

  it('is asked again at the next save if it was too busy to answer, but not if it does not know the command', async () => {
    const { sent, server, runtime } = aConsole({});
    const worlds = new WorldSaving();
    const save = async () => {
      const saved = worlds.whilePaused(ID, runtime, () => Promise.resolve());
      await vi.advanceTimersByTimeAsync(10_000);
      return (await saved).consistent;
    };
    expect(await save()).toBe(false);
    server.answers = MINECRAFT;
    expect(await save()).toBe(true);
    server.answers = { 'save-off': '[12:00:00 INFO]: Unknown command' };
    expect(await save()).toBe(false);
    sent.length = 0;
    expect(await save()).toBe(false);
    expect(sent).toEqual([]);
  });
});
