import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { Adoptions } from '#master/state/services/adoptions.ts';

import { StartupGate } from '#master/control/loop/startup-gate.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

interface World {
  isRecovering: boolean;
  listed: boolean;
  silentSince: number | null;
  now: number;
  moved: boolean;
  state: 'READY' | 'LOST';
}

/** Returns a gate for a cloud node, a booting node, and the master's own machine. */
function aGate(rest: Partial<World> = {}) {
  const world = {
    isRecovering: true,
    listed: true,
    silentSince: null,
    now: 0,
    moved: false,
    state: 'READY' as const,
    ...rest,
  };
  const registry = {
    listed: () => world.listed,
    trouble: () => null,
    nodes: () => [
      aRentedNode({ silentSince: world.silentSince, state: world.state }),
      aRentedNode({ id: 'node-2', state: 'BOOTING' }),
      aRentedNode({ id: 'local', kind: 'local', rental: null }),
    ],
  };
  const told: string[] = [];
  const numbers: number[] = [];
  const records = {
    isRecovering: world.isRecovering,
    recovery: undefined,
    get: () => undefined,
    numberFrom: (from: number) => numbers.push(from),
  };
  const adoptions = new Adoptions({ records, registry, ownNode: 'local' });
  const parts = {
    registry,
    log: pino({ level: 'silent' }),
    records,
    adoptions,
    events: { add: ({ message }: { message: string }) => told.push(message) },
    now: () => Date.UTC(2026, 0, 2),
    moveMark: {
      get isSet() {
        return world.moved;
      },
      clear: () => (world.moved = false),
    },
  };
  // The gate uses only these fields.
  const gate = new StartupGate(
    parts as unknown as ConstructorParameters<typeof StartupGate>[0],
    () => world.now,
  );
  const observed = (...nodes: string[]): void => adoptions.nodesAnswered(nodes);
  return { world, told, numbers, gate, observed };
}

describe('StartupGate (delays the first plan after the master starts)', () => {
  it('stays closed until the master has observed its own machine', () => {
    for (const isRecovering of [true, false]) {
      const { gate, observed } = aGate({ isRecovering });
      observed('node-1');
      expect(gate.hasSynced()).toBe(false);
      observed('local');
      expect(gate.hasSynced()).toBe(true);
    }
  });

  it('waits up to ten minutes for the unreachable nodes of a moved master, even if they count as lost', () => {
    const { world, gate, observed } = aGate({ isRecovering: false, silentSince: 1, moved: true });
    observed('local');
    expect(gate.hasSynced()).toBe(false);
    world.state = 'LOST';
    world.now = 599_000;
    expect(gate.hasSynced()).toBe(false);
    expect(world.moved).toBe(true);
    world.now = 600_000;
    expect(gate.hasSynced()).toBe(true);
    expect(world.moved).toBe(false);
    expect(aGate({ isRecovering: false, silentSince: 1 }).gate.hasSynced()).toBe(false);
  });

  it('waits two minutes for an unreachable node if the master has no stored state', () => {
    const { world, gate, observed } = aGate({ silentSince: 1, state: 'LOST' });
    observed('local');
    world.now = 119_999;
    expect(gate.hasSynced()).toBe(false);
    world.now = 120_000;
    expect(gate.hasSynced()).toBe(true);
  });

  it('stays closed until the master has observed a node that became reachable', () => {
    const { world, gate, observed } = aGate({ silentSince: 1 });
    observed('local');
    world.silentSince = null;
    expect(gate.hasSynced()).toBe(false);
    observed('node-1');
    expect(gate.hasSynced()).toBe(true);
  });

  it('waits neither for silent nodes nor for the provider if the master has stored state', () => {
    const { gate, observed } = aGate({ isRecovering: false, listed: false, silentSince: 1 });
    observed('local');
    expect(gate.hasSynced()).toBe(true);
  });

  it('opens after 10 s if the master has stored state, even if it could not observe its nodes', () => {
    const { world, gate, observed, numbers } = aGate({ isRecovering: false });
    observed('local');
    world.now = 9_999;
    expect(gate.hasSynced()).toBe(false);
    world.now = 10_000;
    expect(gate.hasSynced()).toBe(true);
    expect(numbers).toEqual([]);
  });

  it('stays open once it has opened', () => {
    const { world, gate, observed } = aGate();
    observed('local', 'node-1');
    expect(gate.hasSynced()).toBe(true);
    world.silentSince = 2;
    world.listed = false;
    expect(gate.hasSynced()).toBe(true);
  });

  it('opens after 120 s if the master has no stored state, and then skips service numbers that may be in use', () => {
    const { world, gate, observed, numbers } = aGate({ silentSince: 1 });
    observed('local');
    world.now = 119_999;
    expect(gate.hasSynced()).toBe(false);
    world.now = 120_000;
    expect(gate.hasSynced()).toBe(true);
    expect(numbers).toEqual([24 * 60]);
  });

  it('stays closed until the provider has listed all nodes if the master has no stored state', () => {
    const { world, gate, observed, told } = aGate({ listed: false });
    observed('local', 'node-1');
    expect(gate.hasSynced()).toBe(false);
    world.now = 10 * 3_600_000;
    expect(gate.hasSynced()).toBe(false);
    expect(gate.hasSynced()).toBe(false);
    expect(told).toHaveLength(1);
    world.listed = true;
    expect(gate.hasSynced()).toBe(true);
  });
});
