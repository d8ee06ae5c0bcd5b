import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { visibility } from '#renderer/stores/app/visibility.ts';
import { Refresher } from '#renderer/stores/refresher.ts';

/** Returns a Refresher. The test supplies the responses to its fetches. */
function handFetch() {
  const waiting: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const applied: string[] = [];
  const states: { loading: boolean; error: OverworldError | null }[] = [];
  const refresher = new Refresher<string>({
    fetch: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    apply: (answer) => applied.push(answer),
    onstate: (state) => states.push(state),
    pace: () => ({ quietMs: 100, capMs: 400 }),
  });
  return { waiting, applied, states, refresher };
}

describe("Refresher (keeps the window's data up to date)", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    visibility.set(true);
  });

  it('gives the answer to the new screen if the user changes the screen during a request', async () => {
    const { waiting, applied, refresher } = handFetch();
    const leave = refresher.connect();
    const stop = refresher.connect();
    void refresher.refresh();
    leave();
    waiting[0]?.resolve('fresh');
    await vi.advanceTimersByTimeAsync(0);
    expect(applied).toEqual(['fresh']);
    stop();
  });

  it('makes one request for many events', async () => {
    const { waiting, refresher } = handFetch();
    for (let n = 0; n < 5; n += 1) refresher.stale();
    await vi.advanceTimersByTimeAsync(99);
    expect(waiting).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(waiting).toHaveLength(1);
  });

  it('makes a request after a maximum time, even if events keep arriving', async () => {
    const { waiting, refresher } = handFetch();
    for (let at = 0; at < 400; at += 50) {
      refresher.stale();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(waiting).toHaveLength(1);
  });

  it('makes another request if events arrived during a request', async () => {
    const { waiting, applied, refresher } = handFetch();
    void refresher.refresh();
    void refresher.refresh();
    void refresher.refresh();
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve('first');
    await vi.advanceTimersByTimeAsync(100);
    expect(waiting).toHaveLength(2);
    waiting[1]?.resolve('second');
    await vi.advanceTimersByTimeAsync(1000);
    expect(applied).toEqual(['first', 'second']);
    expect(waiting).toHaveLength(2);
  });

  it('ignores an answer that arrives after a reset', async () => {
    const { waiting, applied, refresher } = handFetch();
    void refresher.refresh();
    refresher.reset();
    void refresher.refresh();
    waiting[1]?.resolve('of the new master');
    waiting[0]?.resolve('of the old master');
    await vi.advanceTimersByTimeAsync(0);
    expect(applied).toEqual(['of the new master']);
  });

  it('no longer loads after it has dropped a request', () => {
    const { waiting, states, refresher } = handFetch();
    const leave = refresher.connect();
    void refresher.refresh();
    leave();
    expect(waiting).toHaveLength(1);
    expect(states).toEqual([
      { loading: true, error: null },
      { loading: false, error: null },
    ]);
  });

  it('makes no requests while the window is hidden, but makes one when it is shown', async () => {
    const { waiting, refresher } = handFetch();
    const stop = refresher.connect();
    visibility.set(false);
    refresher.stale();
    await vi.advanceTimersByTimeAsync(1000);
    expect(waiting).toHaveLength(0);
    visibility.set(true);
    expect(waiting).toHaveLength(1);
    stop();
  });

  it('makes requests while the window is hidden only as long as something needs the data', async () => {
    const { waiting, refresher } = handFetch();
    const stop = refresher.connect();
    const end = refresher.stayAwake();
    visibility.set(false);
    refresher.stale();
    await vi.advanceTimersByTimeAsync(100);
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve('fresh');
    end();
    refresher.stale();
    await vi.advanceTimersByTimeAsync(1000);
    expect(waiting).toHaveLength(1);
    stop();
  });

  it('repeats the request after a temporary error, but not after a permanent error', async () => {
    const { waiting, states, refresher } = handFetch();
    void refresher.refresh();
    waiting[0]?.reject(new OverworldError('REQUEST_TIMEOUT', { method: 'services.list', afterMs: 1000 }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(states.some(({ error }) => error?.code === 'REQUEST_TIMEOUT')).toBe(true);
    expect(waiting).toHaveLength(2);
    waiting[1]?.reject(new OverworldError('FORBIDDEN', { method: 'x', role: 'files', needs: 'viewer' }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(waiting).toHaveLength(2);
  });
});
