import { describe, expect, it } from 'vitest';
import { SlotWorld, type WorldProxy } from '#test/support/link/slot-world.ts';

/** Distributes unused player slots evenly, as the master does every second. */
function calmDown(world: SlotWorld): void {
  for (let second = 0; second < 3; second++) {
    world.take({ kind: 'tick' });
    world.settle();
  }
}

function logIn(world: SlotWorld, proxy: WorldProxy, players: number): void {
  for (let player = 0; player < players; player++) {
    world.login(proxy);
    world.settle();
    world.loginEnds(proxy, true);
  }
  calmDown(world);
}

/** Returns a network with 10 slots. They are all in use, and a plugin has let 3 more players in on the first proxy. */
function threeBeyond() {
  const world = new SlotWorld(10);
  world.bear();
  world.bear();
  const [first, second] = world.all;
  if (first === undefined || second === undefined) throw new Error('no proxies');
  for (const proxy of world.all) world.connect(proxy);
  calmDown(world);
  logIn(world, first, 8);
  logIn(world, second, 2);
  for (let player = 0; player < 3; player++) world.loginBeyond(first);
  calmDown(world);
  return { world, first, second };
}

describe('players whom a plugin has let in beyond the limit', () => {
  it('take slots, even after a restart of the master, until their proxy has reported that they have left', () => {
    const { world, first, second } = threeBeyond();
    for (let player = 0; player < 2; player++) world.leave(second, false);
    calmDown(world);

    world.restartMaster(true);
    world.connect(second);
    logIn(world, second, 2);
    expect(second.ruled).toBe(0);

    for (let player = 0; player < 3; player++) world.leave(first, true);
    world.connect(first);
    logIn(world, second, 3);
    expect([first.ruled, second.ruled]).toEqual([8, 2]);
  });
});
