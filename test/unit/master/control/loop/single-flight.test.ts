import { setImmediate as breathe } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SingleFlight } from '#master/control/loop/single-flight.ts';

/** Returns a SingleFlight. A run ends when the test calls its function in `ends`. */
function heldTurns() {
  const ends: (() => void)[] = [];
  const failed: unknown[] = [];
  const turns = new SingleFlight(
    () => new Promise((resolve) => ends.push(() => resolve(false))),
    (error) => failed.push(error),
  );
  return { turns, ends };
}

describe('SingleFlight (never runs a function twice at the same time)', () => {
  it('runs once more for all calls that arrive during a run', async () => {
    const { turns, ends } = heldTurns();
    for (let i = 0; i < 3; i += 1) turns.call();
    expect(ends).toHaveLength(1);
    turns.call();
    turns.call();
    ends[0]?.();
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    ends[1]?.();
    await turns.close();
    expect(ends).toHaveLength(2);
  });

  it('completes a call only after a run that began after this call', async () => {
    const { turns, ends } = heldTurns();
    turns.call();
    let isOver = false;
    const over = turns.next().then(() => (isOver = true));
    ends[0]?.();
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    expect(isOver).toBe(false);
    ends[1]?.();
    await over;
    await turns.close();
  });

  it('lets other work continue between two runs', async () => {
    let turned = 0;
    // This function requests a further run 100,000 times. If SingleFlight did not yield to the event loop between the
    // runs, all of them would run before the test continues.
    const turns = new SingleFlight(
      () => Promise.resolve((turned += 1) < 100_000),
      () => undefined,
    );
    await turns.next();
    await breathe();
    expect(turned).toBeLessThan(100);
    await turns.close();
  });

  it('reports a failed run, and starts another run only for a new or waiting call', async () => {
    const failed: unknown[] = [];
    let turned = 0;
    const turns: SingleFlight = new SingleFlight(
      () => {
        turned += 1;
        // A run that changes a record calls for another run before it fails.
        turns.call();
        return Promise.reject(new Error(`turn ${turned}`));
      },
      (error) => failed.push(error),
    );
    await turns.next();
    await breathe();
    expect(turned).toBe(1);
    const both = Promise.all([turns.next(), breathe().then(() => turns.next())]);
    await both;
    await turns.close();
    expect(failed).toHaveLength(turned);
    expect(turned).toBeGreaterThanOrEqual(2);
  });

  it('starts no more runs after it is closed, and completes all waiting calls', async () => {
    const { turns, ends } = heldTurns();
    turns.call();
    const waiting = turns.next();
    const closed = turns.close();
    ends[0]?.();
    await Promise.all([closed, waiting, turns.next()]);
    turns.call();
    expect(ends).toHaveLength(1);
  });
});
