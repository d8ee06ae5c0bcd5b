import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COUNT } from '#shared/link/messages.ts';
import { SlotWorld, takenOf, type WorldProxy } from '#test/support/link/slot-world.ts';

const kinds = [
  ...['login', 'login', 'login', 'joins', 'joins', 'gives up', 'leave', 'beyond', 'beyond leaves'],
  ...['to master', 'to master', 'to master', 'to proxy', 'to proxy', 'to proxy', 'settle'],
  ...['connect', 'connect', 'cut', 'late greeting', 'bear', 'die', 'gone'],
  ...['tick', 'overdue', 'limit', 'restart', 'restart without state'],
] as const;

interface Act {
  readonly kind: (typeof kinds)[number];
  readonly who: number;
  readonly number: number;
}

const acts = fc.array(fc.record({ kind: fc.constantFrom(...kinds), who: fc.nat(9), number: fc.nat(12) }), {
  maxLength: 150,
  size: 'max',
});

/** Applies one event to the simulated network. */
function happen(world: SlotWorld, { kind, who, number }: Act): void {
  const proxy = world.all[who % Math.max(1, world.all.length)];
  if (kind === 'bear' && world.all.length < 5) world.bear();
  else if (kind === 'tick') world.take({ kind: 'tick' });
  else if (kind === 'settle') world.settle();
  else if (kind === 'gone') world.announceNetwork();
  else if (kind === 'restart') world.restartMaster(true);
  else if (kind === 'restart without state') world.restartMaster(false);
  else if (kind === 'limit') {
    world.limit = number;
    world.announceNetwork();
  } else if (proxy !== undefined) happenTo(world, proxy, { kind, who, number });
}

function happenTo(world: SlotWorld, proxy: WorldProxy, { kind, number }: Act): void {
  const { id } = proxy;
  const deeds: Partial<Record<Act['kind'], () => unknown>> = {
    login: () => world.login(proxy),
    joins: () => world.loginEnds(proxy, true),
    'gives up': () => world.loginEnds(proxy, false),
    leave: () => world.leave(proxy, false),
    beyond: () => world.loginBeyond(proxy),
    'beyond leaves': () => world.leave(proxy, true),
    'to master': () => world.deliverToMaster(proxy),
    'to proxy': () => world.deliverToProxy(proxy),
    connect: () => world.connect(proxy),
    cut: () => world.cut(proxy),
    'late greeting': () => world.lateGreeting(proxy, number),
    die: () => world.die(proxy),
    overdue: () => {
      for (const request of world.book.holders.get(id)?.waiting ?? [])
        world.take({ kind: 'overdue', proxy: id, id: request.id });
    },
  };
  deeds[kind]?.();
}

/** Connects all running proxies, delivers all messages, and distributes unused player slots evenly. */
function calmDown(world: SlotWorld): void {
  world.announceNetwork();
  for (const proxy of world.all) if (proxy.link === null) world.connect(proxy);
  world.settle();
  for (let second = 0; second < 4; second++) {
    world.take({ kind: 'tick' });
    world.settle();
  }
}

/**
 * Completes the logins on a proxy that has players beyond the limit, whom plugins let in. The master does not know
 * which players are beyond the limit.
 */
function letJoin(proxy: WorldProxy, world: SlotWorld): void {
  while (proxy.beyond > 0 && proxy.logging > 0) world.loginEnds(proxy, true);
}

const runs = { numRuns: Number(process.env['OVERWORLD_PROPERTY_RUNS'] ?? 200) };

describe('the player slots that the master allots to proxies', { timeout: 60_000 }, () => {
  it('never exceed the player limit in total', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), acts, (limit, story) => {
        const world = new SlotWorld(limit);
        world.bear();
        let highest = limit;
        for (const act of story) {
          const before = world.granted;
          const wasLost = world.book.ceiling !== null;
          happen(world, act);
          highest = Math.max(highest, world.limit);
          expect(world.held).toBeLessThanOrEqual(highest);
          for (const proxy of world.all) {
            expect(proxy.ruled + proxy.logging).toBeLessThanOrEqual(proxy.held);
            const holder = world.book.holders.get(proxy.id);
            if (holder?.known === true) expect(proxy.held).toBeLessThanOrEqual(holder.granted);
          }
          // The sum may exceed the limit only because the limit was lowered. While the sum exceeds the limit, it does
          // not grow.
          const restarted = act.kind === 'restart' || act.kind === 'restart without state' || wasLost;
          if (!restarted) expect(world.granted).toBeLessThanOrEqual(Math.max(before, world.limit));
        }
      }),
      runs,
    );
  });

  it('go to one proxy if all players want to join through it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), acts, fc.nat(9), (limit, story, chosen) => {
        const world = new SlotWorld(limit);
        world.bear();
        for (const act of story) happen(world, act);
        calmDown(world);
        for (const one of world.all) letJoin(one, world);
        calmDown(world);
        const proxy = world.all[chosen % Math.max(1, world.all.length)];
        if (proxy === undefined) return;
        const free = Math.max(0, world.limit - world.all.reduce((sum, one) => sum + takenOf(one), 0));
        const { admitted, refused } = proxy;
        for (let player = 0; player < free + 2; player++) {
          world.login(proxy);
          world.settle();
          expect(proxy.waiting.size, 'players who still wait').toBe(0);
        }
        expect(proxy.admitted - admitted).toBe(free);
        expect(proxy.refused - refused).toBe(2);
      }),
      runs,
    );
  });

  it('admit players up to exactly the limit when many players join at once', () => {
    const crowd = fc.array(fc.nat(4), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), crowd, acts, (limit, players, story) => {
        const world = new SlotWorld(Math.floor(limit / 2));
        for (let count = 0; count < 5; count++) world.bear();
        calmDown(world);
        // Raise the limit right before the players join.
        world.limit = limit;
        world.announceNetwork();
        for (const at of players) {
          const proxy = world.all[at];
          if (proxy !== undefined) world.login(proxy);
          // Deliver some of the messages in transit between two logins.
          const act = story.pop();
          if (act?.kind === 'to master' || act?.kind === 'to proxy') happen(world, act);
        }
        world.settle();
        expect(world.all.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(
          Math.min(limit, players.length),
        );
        expect(world.all.every(({ waiting }) => waiting.size === 0)).toBe(true);
      }),
      runs,
    );
  });

  it('never exceed the player limit in total, even if a proxy claims too many slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), acts, fc.nat(MAX_COUNT), (limit, story, claimed) => {
        const world = new SlotWorld(limit);
        world.bear();
        for (const act of story) {
          // Skip this event. After a loss of the stored allowances, proxies may claim more slots.
          if (act.kind === 'restart without state') continue;
          happen(world, act);
          const liar = world.all[0];
          const holder = liar === undefined ? undefined : world.book.holders.get(liar.id);
          if (liar === undefined || holder?.linked !== true || !holder.pending) continue;
          const before = world.granted;
          const { seq, granted } = holder;
          const allowance = Math.max(granted, claimed);
          world.take({ kind: 'answered', proxy: liar.id, seq, allowance, used: allowance });
          expect(world.granted).toBeLessThanOrEqual(Math.max(before, world.limit));
          world.take({ kind: 'linked', proxy: liar.id, allowance });
          expect(world.granted).toBeLessThanOrEqual(Math.max(before, world.limit));
        }
      }),
      runs,
    );
  });

  it('cause no more messages after the last event', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), acts, (limit, story) => {
        const world = new SlotWorld(limit);
        world.bear();
        for (const act of story) happen(world, act);
        calmDown(world);
        // Complete all logins, so that the number of used slots equals the number of counted players.
        for (const proxy of world.all) while (proxy.logging > 0) world.loginEnds(proxy, true);
        calmDown(world);
        world.take({ kind: 'tick' });
        expect(world.settle()).toBe(0);
      }),
      runs,
    );
  });

  it('reach each proxy that requests slots, even if other proxies do not respond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), acts, (limit, story) => {
        const world = new SlotWorld(limit);
        world.bear();
        for (const act of story) happen(world, act);
        for (const { id } of world.all) {
          for (const request of world.book.holders.get(id)?.waiting ?? [])
            world.take({ kind: 'overdue', proxy: id, id: request.id });
        }
        for (const { waiting } of world.book.holders.values()) expect(waiting).toEqual([]);
      }),
      runs,
    );
  });
});
