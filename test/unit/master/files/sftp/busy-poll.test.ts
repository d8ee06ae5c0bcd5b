import { describe, expect, it } from 'vitest';
import { BusyPoll } from '#master/files/sftp/busy-poll.ts';

/** Creates a BusyPoll with a clock and an event loop that the test advances. */
function aBusyPoll() {
  let now = 1_000;
  let deferred: (() => void)[] = [];
  const polling = new BusyPoll(
    () => now,
    (next) => deferred.push(next),
  );
  return {
    /** Lets a request arrive some time after the previous answer (ms), and answers the request at once. */
    request: (afterMs: number) => {
      now += afterMs;
      polling.requested();
      polling.answered();
    },
    /** Runs one iteration of the event loop after some time (ms). @returns whether the loop is kept awake */
    iterate: (afterMs: number) => {
      now += afterMs;
      const due = deferred;
      deferred = [];
      for (const next of due) next();
      return deferred.length > 0;
    },
    waiting: () => deferred.length,
  };
}

describe('BusyPoll (keeps the event loop awake for a client that sends requests in quick succession)', () => {
  it('does not start after a single quick request', () => {
    const loop = aBusyPoll();
    loop.request(50);
    loop.request(0.1);
    expect(loop.waiting()).toBe(0);
  });

  it('starts after two quick requests in a row, and stops if no further request follows', () => {
    const loop = aBusyPoll();
    for (const afterMs of [50, 0.1, 0.1]) loop.request(afterMs);
    expect(loop.waiting()).toBe(1);
    expect(loop.iterate(0.1)).toBe(true);
    expect(loop.iterate(0.1)).toBe(true);
    expect(loop.iterate(0.2)).toBe(false);
  });

  it('runs one callback in each iteration of the event loop', () => {
    const loop = aBusyPoll();
    for (const afterMs of [50, 0.1, 0.1, 0.1, 0.1]) loop.request(afterMs);
    expect(loop.waiting()).toBe(1);
    loop.iterate(0.2);
    loop.request(0.05);
    expect(loop.iterate(0.2)).toBe(true);
    expect(loop.waiting()).toBe(1);
  });

  it('does not start for a client that waits 0.4 ms before each request', () => {
    const loop = aBusyPoll();
    for (let count = 0; count < 20; count += 1) loop.request(0.4);
    expect(loop.waiting()).toBe(0);
  });

  it('pauses for 20 ms after an iteration of the event loop took more than 3 ms', () => {
    const loop = aBusyPoll();
    for (const afterMs of [50, 0.1, 0.1]) loop.request(afterMs);
    expect(loop.iterate(0.1)).toBe(true);
    loop.request(2.9);
    loop.request(0.2);
    expect(loop.iterate(0)).toBe(false);
    for (let count = 0; count < 90; count += 1) loop.request(0.2);
    expect(loop.waiting()).toBe(0);
    for (let count = 0; count < 20; count += 1) loop.request(0.2);
    expect(loop.waiting()).toBe(1);
  });

  it('stops polling for a client that has become slow, and polls again after two quick requests', () => {
    const loop = aBusyPoll();
    for (const afterMs of [50, 0.1, 0.1]) loop.request(afterMs);
    expect(loop.iterate(0.4)).toBe(false);
    loop.request(1);
    expect(loop.waiting()).toBe(0);
    loop.request(0.1);
    expect(loop.waiting()).toBe(0);
    loop.request(0.1);
    expect(loop.waiting()).toBe(1);
  });
});
