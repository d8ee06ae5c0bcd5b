import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whilePaused } from '#master/runtime/process/volumes/while-paused.ts';
import type { SavingPause } from '#master/runtime/saving-pause.ts';

const OFF = '[12:00:00 INFO]: Automatic saving is now disabled';
const ALREADY_OFF = '[12:00:00] [Server thread/INFO]: Saving is already turned off';
const SAVED = '[12:00:01 INFO]: Saved the game';
const UNKNOWN = '[12:00:00] Unknown command';

/**
 * Creates a server that prints these lines after the command `save-off`. Each call of `look` reads one line of the
 * log.
 */
function aServer(lines: readonly string[]) {
  const events: string[] = [];
  const server = { isReading: true, isAlive: true };
  let printed: string[] = [];
  let listener: (lines: readonly { text: string }[]) => void = () => undefined;
  const console = {
    write: (text: string) => {
      if (!server.isReading) return Promise.reject(new Error('its console is full'));
      events.push(text);
      if (text.startsWith('save-off')) printed = [...lines];
      return Promise.resolve();
    },
    follow: (added: typeof listener) => {
      listener = added;
      return Promise.resolve({ close: () => void events.push('(closed)') });
    },
    look: () => {
      const next = printed.shift();
      if (next !== undefined) listener([{ text: next }]);
    },
    isAlive: () => Promise.resolve(server.isAlive),
  };
  const seen: { pause: SavingPause | null } = { pause: null };
  const copy = (): Promise<void> => Promise.resolve(void events.push('(copied)'));
  const pause = async (work = copy, mayBePaused = false) => {
    const request = { mayBePaused, ended: (ended: SavingPause) => void (seen.pause = ended) };
    const done = whilePaused(console, request, work);
    // Handle the rejection now, because the promise may reject while the clock is advanced.
    const settled = done.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(130_000);
    return settled;
  };
  return { events, server, pause, seen };
}

describe('a server on this machine whose files are copied', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has written its world before the copy, and is asked to resume saving after the copy', async () => {
    const { events, seen, pause } = aServer([OFF, '[12:00:00 INFO]: <Steve> Saved the game', SAVED]);
    await pause();
    expect(events).toEqual(['save-off\nsave-all flush', '(copied)', '(closed)', 'save-on']);
    expect(seen.pause).toMatchObject({ answer: 'off', flushed: true, resumed: true });
  });

  it('is copied after 10 s if it does not answer', async () => {
    const { events, seen, pause } = aServer([]);
    await pause();
    expect(events.slice(-3)).toEqual(['(copied)', '(closed)', 'save-on']);
    expect(seen.pause).toMatchObject({ answer: 'silent', flushed: false, resumed: true });
  });

  it('is copied after 130 s if it does not write its world completely', async () => {
    const { events, seen, pause } = aServer([OFF]);
    await pause();
    expect(events.slice(-3)).toEqual(['(copied)', '(closed)', 'save-on']);
    expect(seen.pause).toMatchObject({ answer: 'off', flushed: false, resumed: true });
  });

  it('is copied within 2 s if it exits while the master waits for its answer', async () => {
    const { events, server, seen, pause } = aServer([OFF]);
    server.isAlive = false;
    let copiedAt = Infinity;
    const begunAt = Date.now();
    await pause(() => Promise.resolve(void (copiedAt = Date.now())));
    expect(copiedAt - begunAt).toBeLessThanOrEqual(2_000);
    expect(seen.pause).toMatchObject({ answer: 'off', flushed: false });
    expect(events).toContain('(closed)');
  });

  it('is not asked to resume saving if it does not know the commands', async () => {
    const { events, seen, pause } = aServer([UNKNOWN, UNKNOWN]);
    await pause();
    expect(events.at(-1)).toBe('(closed)');
    expect(seen.pause).toEqual({ answer: 'unknown', flushed: false, resumed: false, ms: 0 });
  });

  it('is not asked to resume saving if saving was already off, unless the master may have turned saving off', async () => {
    const byAdmin = aServer([ALREADY_OFF, SAVED]);
    await byAdmin.pause();
    expect(byAdmin.seen.pause).toEqual({ answer: 'already-off', flushed: true, resumed: false, ms: 0 });
    expect(byAdmin.events.at(-1)).toBe('(closed)');
    const byMaster = aServer([ALREADY_OFF, SAVED]);
    await byMaster.pause(undefined, true);
    expect(byMaster.seen.pause).toMatchObject({ answer: 'already-off', flushed: true, resumed: true });
    expect(byMaster.events.at(-1)).toBe('save-on');
  });

  it('is asked to resume saving if the copy fails, and the error is passed on', async () => {
    const { events, seen, pause } = aServer([OFF, SAVED]);
    expect(await pause(() => Promise.reject(new Error('the disk is full')))).toEqual(
      new Error('the disk is full'),
    );
    expect(events.at(-1)).toBe('save-on');
    expect(seen.pause).toMatchObject({ resumed: true });
  });

  it('is not copied if the master cannot write to its console', async () => {
    const { events, seen, server, pause } = aServer([]);
    server.isReading = false;
    expect(await pause()).toEqual(new Error('its console is full'));
    expect(events).toEqual(['(closed)']);
    expect(seen.pause).toBeNull();
  });

  it('is reported as still paused if the master cannot write to its console at the end', async () => {
    const { seen, server, pause } = aServer([OFF, SAVED]);
    await pause(() => {
      server.isReading = false;
      return Promise.resolve();
    });
    expect(seen.pause).toEqual({ answer: 'off', flushed: true, resumed: false, ms: 0 });
  });
});
