import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { Dawn } from '#master/control/dawn.ts';
import type { Parts } from '#master/control/parts.ts';
import { aRentedNode } from '#test/support/nodes.ts';

interface World {
  wasEmpty: boolean;
  listed: boolean;
  silentSince: number | null;
  now: number;
}

function aDawn(rest: Partial<World> = {}) {
  const world = { wasEmpty: true, listed: true, silentSince: null, now: 0, ...rest };
  const provider = {
    listed: () => world.listed,
    trouble: () => null,
    nodes: () => [
      aRentedNode({ silentSince: world.silentSince }),
      aRentedNode({ id: 'node-2', state: 'BOOTING' }),
    ],
  };
  // Only this much of the parts is asked for.
  const told: string[] = [];
  const numbers: number[] = [];
  const parts = {
    provider,
    log: pino({ level: 'silent' }),
    records: { wasEmpty: world.wasEmpty, numberFrom: (from: number) => numbers.push(from) },
    events: { add: ({ message }: { message: string }) => told.push(message) },
    now: () => Date.UTC(2026, 0, 2),
  };
  return { world, told, numbers, dawn: new Dawn(parts as unknown as Parts, () => world.now) };
}

describe('Dawn', () => {
  it('is over at once for a master that knows its services', () => {
    expect(aDawn({ wasEmpty: false, listed: false, silentSince: 1 }).dawn.isDark()).toBe(false);
  });

  it('lasts until all nodes are listed and those that were ready have been seen, and never comes back', () => {
    const { world, dawn } = aDawn({ listed: false, silentSince: 1 });
    expect(dawn.isDark()).toBe(true);
    world.listed = true;
    expect(dawn.isDark()).toBe(true);
    world.silentSince = null;
    expect(dawn.isDark()).toBe(false);
    world.silentSince = 2;
    expect(dawn.isDark()).toBe(false);
  });

  it('does not wait for ever for a node that does not answer, and gives no number that it may have', () => {
    const { world, dawn, numbers } = aDawn({ silentSince: 1 });
    world.now = 119_999;
    expect(dawn.isDark()).toBe(true);
    world.now = 120_000;
    expect(dawn.isDark()).toBe(false);
    expect(numbers).toEqual([24 * 60]);
  });

  it('lasts as long as nobody knows which nodes there are, and tells that once', () => {
    const { world, dawn, told } = aDawn({ listed: false });
    expect(dawn.isDark()).toBe(true);
    world.now = 10 * 3_600_000;
    expect(dawn.isDark()).toBe(true);
    expect(dawn.isDark()).toBe(true);
    expect(told).toHaveLength(1);
    world.listed = true;
    expect(dawn.isDark()).toBe(false);
  });
});
