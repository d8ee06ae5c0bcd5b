import { describe, expect, it, vi } from 'vitest';
import { UnreadTemplates } from '#master/ingress/unread-templates.ts';

type Known = ConstructorParameters<typeof UnreadTemplates>[0];

/** Returns template folders that the master has not read yet, with a manual clock. */
function aNetwork(...ids: string[]) {
  const world = { ms: 1_000, known: new Set<string>(), listeners: new Set<() => void>() };
  const parts = {
    config: { templates: new Map(ids.map((id) => [id, {}])) },
    templates: {
      state: (id: string) => ({ jar: world.known.has(id) ? {} : null, changing: !world.known.has(id) }),
      onChange(listener: () => void) {
        world.listeners.add(listener);
        return () => world.listeners.delete(listener);
      },
    },
  };
  // Only these parts of the stores are used.
  const unread = new UnreadTemplates(parts as unknown as Known, () => world.ms);
  return {
    ...{ world, unread },
    look: (id: string) => {
      world.known.add(id);
      for (const listener of world.listeners) listener();
    },
  };
}

describe('a template whose server software the master does not know yet', () => {
  it('delays all starts of services until its software is known', async () => {
    const { unread, world, look } = aNetwork('gate', 'lobby');
    let isRead = false;
    const reading = unread.read().then(() => (isRead = true));
    look('gate');
    await Promise.resolve();
    expect(isRead).toBe(false);
    look('lobby');
    await reading;
    expect(world.listeners.size).toBe(0);
  });

  it('delays starts of services for at most 10 s', async () => {
    const { unread, world } = aNetwork('gate');
    unread.update();
    world.ms += 10_000;
    unread.update();
    await unread.read();
    expect(world.listeners.size).toBe(0);
  });

  it('delays starts for at most 10 s, even if further such templates appear', async () => {
    const { unread, world, look } = aNetwork('gate', 'lobby');
    world.known.add('lobby');
    let isRead = false;
    void unread.read().then(() => (isRead = true));
    for (const [known, uploaded] of [
      ['gate', 'lobby'],
      ['lobby', 'gate'],
      ['gate', 'lobby'],
    ] as const) {
      expect(isRead).toBe(false);
      world.ms += 4_000;
      world.known.delete(uploaded);
      look(known);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
    expect(isRead).toBe(true);
    expect(world.listeners.size).toBe(0);
  });

  it('does not delay starts for more than 10 s if its files do not change', async () => {
    vi.useFakeTimers();
    try {
      const { unread, world } = aNetwork('gate');
      const reading = unread.read();
      world.ms += 10_000;
      await vi.advanceTimersByTimeAsync(10_000);
      await reading;
      expect(world.listeners.size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
