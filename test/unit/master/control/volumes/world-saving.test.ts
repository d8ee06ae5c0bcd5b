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
    command: async (_: string, line: string) => {
      // A command takes a moment to arrive.
      await Promise.resolve();
      if (!server.isReachable) throw new Error('the node cannot be reached');
      sent.push(line);
      const text = server.answers[line];
      if (text !== undefined) print([{ seq: sent.length, text }], false);
    },
    followLog: (_id: string, _lines: number, listener: LogListener) => {
      print = listener;
      return Promise.resolve({ lines: [], close: () => undefined });
    },
  };
  // What is noted outside of the process takes its place among the commands.
  const note = {
    begin: () => Promise.resolve(void sent.push('(noted)')),
    end: () => Promise.resolve(void sent.push('(end noted)')),
  };
  return { sent, server, console: { runtime, note } };
}

const MINECRAFT = {
  'save-off': '[12:00:00 INFO]: Automatic saving is now disabled',
  'save-all flush': '[12:00:01 INFO]: Saved the game',
};
const ALREADY_OFF = {
  ...MINECRAFT,
  'save-off': '[12:00:00] [Server thread/INFO]: Saving is already turned off',
};
const nothing = () => Promise.resolve();

describe('a game server that pauses world saving for a copy', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is recorded as paused from before save-off is sent until after save-on is sent', async () => {
    const { sent, console } = aConsole(MINECRAFT);
    const { consistent } = await new WorldSaving().whilePaused(ID, console, nothing);
    expect(consistent).toBe(true);
    expect(sent).toEqual(['(noted)', 'save-off', 'save-all flush', 'save-on', '(end noted)']);
  });

  it('gets no save-on from the control loop while a copy is in progress', async () => {
    const { sent, console } = aConsole(MINECRAFT);
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    expect(worlds.hasToResume(ID)).toBe(true);
    const during = { sent: [] as string[], before: true, after: true };
    await worlds.whilePaused(ID, console, () => {
      during.before = worlds.hasToResume(ID);
      // The round that adopts the service learns only now that an earlier master had paused it.
      worlds.expectPaused(ID);
      during.after = worlds.hasToResume(ID);
      during.sent = [...sent];
      return Promise.resolve();
    });
    expect(during).toEqual({ sent: ['(noted)', 'save-off', 'save-all flush'], before: false, after: false });
    expect(sent.slice(-2)).toEqual(['save-on', '(end noted)']);
    expect(worlds.hasToResume(ID)).toBe(false);
  });

  it('gets save-off only after an earlier save-on was sent', async () => {
    const { sent, console } = aConsole(MINECRAFT);
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    const resumed = worlds.resume(ID, console.runtime);
    const { consistent } = await worlds.whilePaused(ID, console, nothing);
    expect(await resumed).toBe(true);
    expect(consistent).toBe(true);
    expect(sent).toEqual(['save-on', '(noted)', 'save-off', 'save-all flush', 'save-on', '(end noted)']);
  });

  it('gets save-on later if it is unreachable after the copy', async () => {
    const { sent, server, console } = aConsole(MINECRAFT);
    const worlds = new WorldSaving();
    await worlds.whilePaused(ID, console, () => {
      server.isReachable = false;
      return Promise.resolve();
    });
    expect(worlds.hasToResume(ID)).toBe(true);
    server.isReachable = true;
    expect(await worlds.resume(ID, console.runtime)).toBe(true);
    expect(worlds.hasToResume(ID)).toBe(false);
    expect(sent).toEqual(['(noted)', 'save-off', 'save-all flush', 'save-on']);
  });

  it('gets no save-on if an admin had turned saving off before the copy', async () => {
    const { sent, console } = aConsole(ALREADY_OFF);
    const worlds = new WorldSaving();
    const { consistent } = await worlds.whilePaused(ID, console, nothing);
    expect(consistent).toBe(true);
    expect(sent).toEqual(['(noted)', 'save-off', 'save-all flush', '(end noted)']);
    expect(worlds.hasToResume(ID)).toBe(false);
  });

  it('gets save-on if saving is off because an earlier master did not turn it on again', async () => {
    const { sent, console } = aConsole(ALREADY_OFF);
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    await worlds.whilePaused(ID, console, nothing);
    expect(sent.slice(-2)).toEqual(['save-on', '(end noted)']);
  });

  it('gets save-off for the next copy if it did not answer, but not if it does not know the command', async () => {
    const { sent, server, console } = aConsole({});
    const worlds = new WorldSaving();
    const save = async () => {
      const saved = worlds.whilePaused(ID, console, nothing);
      await vi.advanceTimersByTimeAsync(10_000);
      return (await saved).consistent;
    };
    expect(await save()).toBe(false);
    server.answers = MINECRAFT;
    expect(await save()).toBe(true);
    server.answers = { 'save-off': '[12:00:00] Unknown command' };
    expect(await save()).toBe(false);
    sent.length = 0;
    expect(await save()).toBe(false);
    expect(sent).toEqual([]);
  });
});
