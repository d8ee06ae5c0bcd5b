import { describe, expect, it } from 'vitest';
import { MAX_COUNT } from '#shared/link/messages.ts';
import {
  claimableBy,
  openAllowances,
  type AllowanceEvent,
  type Allowances,
} from '#master/link/limit/state.ts';
import { decideAllowances } from '#master/link/limit/decide-allowances.ts';
import { SlotWorld, type WorldProxy } from '#test/support/link/slot-world.ts';

/** Returns two linked proxies that share 10 player slots. */
function twoOfTen(): { world: SlotWorld; honest: WorldProxy; liar: WorldProxy } {
  const world = new SlotWorld(10);
  world.bear();
  world.bear();
  const [honest, liar] = world.all;
  if (honest === undefined || liar === undefined) throw new Error('no proxies');
  for (const proxy of [honest, liar]) world.connect(proxy);
  world.settle();
  world.take({ kind: 'tick' });
  world.settle();
  return { world, honest, liar };
}

/** Makes a proxy claim the maximum number of slots. */
function claim(world: SlotWorld, liar: WorldProxy, how: 'greeting' | 'answer'): void {
  const seq = world.book.holders.get(liar.id)?.seq ?? 0;
  if (how === 'greeting') world.take({ kind: 'linked', proxy: liar.id, allowance: MAX_COUNT });
  else world.take({ kind: 'answered', proxy: liar.id, seq, allowance: MAX_COUNT, used: MAX_COUNT });
}

describe('a proxy that claims more player slots than the master has allotted', () => {
  it.each(['greeting', 'answer'] as const)(
    'gets no slots of other proxies by a claim in the message "%s"',
    (how) => {
      const { world, honest, liar } = twoOfTen();
      claim(world, liar, how);
      expect(world.granted).toBe(10);
      for (let player = 0; player < 6; player++) {
        world.login(honest);
        world.deliverToMaster(honest);
      }
      // The claiming proxy may keep the 5 slots that it was given. All other slots are available.
      expect(honest.admitted).toBe(5);
      world.die(liar);
      world.announceNetwork();
      world.settle();
      world.login(honest);
      expect(honest.held).toBe(10);
    },
  );

  it('receives its real number of slots every second until it accepts this number', () => {
    // These stored allowances are outdated, because the proxy has received more slots since then.
    let book: Allowances = openAllowances(new Map([['proxy-1', { granted: 2, beyond: 0 }]]));
    const allowances: number[] = [];
    const take = (event: AllowanceEvent): void => {
      const { state, allow } = decideAllowances(book, event);
      book = state;
      allowances.push(...allow.map(({ allowance }) => allowance));
    };
    const answer = (allowance: number, used: number): void =>
      take({
        ...{ kind: 'answered', proxy: 'proxy-1', allowance, used },
        seq: book.holders.get('proxy-1')?.seq ?? 0,
      });
    take({ kind: 'network', limit: 2, proxies: ['proxy-1'] });
    take({ kind: 'linked', proxy: 'proxy-1', allowance: 6 });
    take({ kind: 'counted', proxy: 'proxy-1', players: 4 });
    answer(4, 4);
    allowances.length = 0;
    take({ kind: 'tick' });
    expect(allowances).toEqual([2]);
    take({ kind: 'counted', proxy: 'proxy-1', players: 1 });
    answer(2, 1);
    allowances.length = 0;
    for (let second = 0; second < 3; second++) take({ kind: 'tick' });
    expect(allowances).toEqual([]);
  });

  it('may keep the claimed slots if the master has lost its record of allotted slots', () => {
    let book: Allowances = openAllowances(null);
    book = decideAllowances(book, { kind: 'network', limit: 10, proxies: ['proxy-1'] }).state;
    expect(claimableBy(book, 'proxy-1')).toBe(10);
    book = decideAllowances(book, { kind: 'linked', proxy: 'proxy-1', allowance: 8 }).state;
    expect(book.holders.get('proxy-1')?.granted).toBeGreaterThanOrEqual(8);
    expect(claimableBy(book, 'proxy-1')).toBe(10);
  });
});
