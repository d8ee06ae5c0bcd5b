import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Topic } from '#shared/rpc/contract.ts';
import { StaleNotifier } from '#master/admin/rpc/stale-notifier.ts';

describe('StaleNotifier (tells apps which data has changed)', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends the first notification at once, and combines all notifications of the next 100 ms', () => {
    const sent: Topic[][] = [];
    const notifier = new StaleNotifier((topics) => sent.push(topics));
    notifier.add(['services']);
    expect(sent).toEqual([['services']]);
    notifier.add(['services']);
    notifier.add(['nodes', 'services']);
    vi.advanceTimersByTime(99);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([['services'], ['services', 'nodes']]);
  });

  it('sends at most ten notifications a second', () => {
    let sent = 0;
    const notifier = new StaleNotifier(() => (sent += 1));
    for (let ms = 0; ms < 1000; ms += 1) {
      notifier.add(['activity']);
      vi.advanceTimersByTime(1);
    }
    expect(sent).toBeGreaterThan(5);
    expect(sent).toBeLessThanOrEqual(11);
  });

  it('sends nothing after it is closed', () => {
    const sent: Topic[][] = [];
    const notifier = new StaleNotifier((topics) => sent.push(topics));
    notifier.add(['keys']);
    notifier.add(['config']);
    notifier.close();
    vi.runAllTimers();
    expect(sent).toEqual([['keys']]);
  });
});
