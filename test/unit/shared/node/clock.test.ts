import { describe, expect, it } from 'vitest';
import { Deadline, monotonicMs } from '#shared/node/clock.ts';

describe('monotonicMs (time of the monotonic clock)', () => {
  it('returns whole milliseconds', () => {
    for (let i = 0; i < 100; i += 1) expect(monotonicMs()).toSatisfy(Number.isInteger);
  });
});

describe('Deadline (end of a time limit)', () => {
  it('has passed if it was not set, or was cleared', () => {
    const deadline = new Deadline(() => 1_000);
    expect(deadline).toMatchObject({ isOver: true, leftMs: 0 });
    deadline.set(500);
    expect(deadline).toMatchObject({ isOver: false, leftMs: 500 });
    deadline.clear();
    expect(deadline).toMatchObject({ isOver: true, leftMs: 0 });
  });

  it('returns the remaining time in whole milliseconds', () => {
    let now = 1_000;
    const deadline = new Deadline(() => now);
    deadline.set(10_000 * 1.000_03);
    expect(deadline.leftMs).toBe(10_001);
    now = 11_001;
    expect(deadline).toMatchObject({ isOver: true, leftMs: 0 });
  });
});
