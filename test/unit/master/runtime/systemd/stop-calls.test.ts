import { describe, expect, it } from 'vitest';
import { StopCalls } from '#master/runtime/systemd/stop-calls.ts';

function fixture() {
  const calls: { graceMs: number; isFirst: boolean; end: (exit: string) => void }[] = [];
  const stops = new StopCalls<string>(
    (_id, graceMs, isFirst) => new Promise((end) => calls.push({ graceMs, isFirst, end })),
  );
  return { calls, stops };
}

describe('StopCalls (combines simultaneous requests to stop a service)', () => {
  it('uses the running stop for a request with the same or a longer grace period', async () => {
    const { calls, stops } = fixture();
    const all = [stops.stop('lobby-1', 1000), stops.stop('lobby-1', 1000), stops.stop('lobby-1', 60_000)];
    expect(calls).toHaveLength(1);
    calls[0]?.end('done');
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
    expect(stops.has('lobby-1')).toBe(false);
  });

  it('shortens the grace period of a running stop, and sends the stop command only once', async () => {
    const { calls, stops } = fixture();
    const patient = stops.stop('lobby-1', 60_000);
    const hasty = stops.stop('lobby-1', 0);
    expect(calls.map(({ graceMs, isFirst }) => [graceMs, isFirst])).toEqual([
      [60_000, true],
      [0, false],
    ]);
    calls[0]?.end('ended');
    expect(await patient).toBe('ended');
    expect(stops.has('lobby-1')).toBe(true);
    calls[1]?.end('ended');
    expect(await hasty).toBe('ended');
    expect(stops.has('lobby-1')).toBe(false);
  });
});
