import { setImmediate as breathe } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SingleFlight } from '#master/control/loop/single-flight.ts';

/** Turns that end when a test says so. */
function heldTurns() {
  const ends: (() => void)[] = [];
  const failed: unknown[] = [];
  const turns = new SingleFlight(
    () => new Promise((resolve) => ends.push(() => resolve(false))),
    (error) => failed.push(error),
  );
  return { turns, ends };
}

describe('Turns', () => {
  it('are one at a time; all calls during one make one more', async () => {
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

  it('are waited for from their begin on: one that is under way does not count', async () => {
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

  it('keep nobody who waits for one, nor others, however many follow each other', async () => {
    let turned = 0;
    // Without an end in sight; an event loop that never gets its turn would not come to the next line.
    const turns = new SingleFlight(
      () => Promise.resolve((turned += 1) < 100_000),
      () => undefined,
    );
    await turns.next();
    await breathe();
    expect(turned).toBeLessThan(100);
    await turns.close();
  });

  it('that fail are told, and begin again when something calls, or somebody waits', async () => {
    const failed: unknown[] = [];
    let turned = 0;
    const turns: SingleFlight = new SingleFlight(
      () => {
        turned += 1;
        // As a record that is changed in a round that fails.
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

  it('do not begin once closed, and leave nobody waiting', async () => {
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
