import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignPlaces, idAt, placeOf, type UnplacedProxy } from '#master/balancer/config/places.ts';
import { connectionLimits, NO_LIMIT, type ProxyLoad } from '#master/balancer/runtime/limits.ts';
import { fillLevel } from '#master/core/snapshot/fill-level.ts';

describe('assignPlaces (assigns proxies their positions in HAProxy)', () => {
  const seekers = fc.uniqueArray(
    fc.record<UnplacedProxy>({
      name: fc.integer({ min: 1, max: 30 }).map((number) => `gate-${number}`),
      open: fc.boolean(),
      used: fc.boolean(),
      movable: fc.boolean(),
    }),
    { selector: ({ name }) => name, maxLength: 10 },
  );
  const known = fc
    .uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 30 })
    .map((places) => new Map(places.map((place, index) => [`gate-${index + 1}`, place])));

  it('gives each proxy a different position, and does not move proxies that are in use or closed', () => {
    fc.assert(
      fc.property(seekers, known, (proxies, before) => {
        const { at, moved } = assignPlaces(proxies, before);
        expect(new Set(at.values()).size).toBe(proxies.length);
        for (const { name, open, used, movable } of proxies) {
          const mustStay = before.has(name) && (used || !open || !movable);
          if (mustStay) expect(at.get(name)).toBe(before.get(name));
          expect(moved.has(name)).toBe(before.has(name) && at.get(name) !== before.get(name));
          // A position that HAProxy still uses for another proxy is not assigned.
          for (const [other, place] of before) if (other !== name) expect(at.get(name)).not.toBe(place);
        }
      }),
    );
  });

  it('never puts an empty proxy before a proxy in use', () => {
    fc.assert(
      fc.property(seekers, known, (proxies, before) => {
        const { at } = assignPlaces(proxies, before);
        const placeOfOne = ({ name }: UnplacedProxy): number => at.get(name) ?? 0;
        const open = proxies.filter((one) => one.open);
        for (const used of open.filter((one) => one.used))
          for (const empty of open.filter((one) => !one.used && one.movable))
            expect(placeOfOne(empty)).toBeGreaterThan(placeOfOne(used));
        expect(assignPlaces(proxies, at)).toEqual({ at, moved: new Set() });
      }),
    );
  });

  it('assigns new positions, by use and age, if no positions are known or the last position is taken', () => {
    const seeker = (name: string, used: boolean): UnplacedProxy => ({
      name,
      open: true,
      used,
      movable: true,
    });
    const three = [seeker('gate-10', false), seeker('gate-9', false), seeker('gate-11', true)];
    const fresh = new Map([
      ['gate-11', 1],
      ['gate-9', 2],
      ['gate-10', 3],
    ]);
    expect(assignPlaces(three, new Map()).at).toEqual(fresh);
    const last = placeOf(0x7fff_ffff) ?? 0;
    expect(assignPlaces(three, new Map([['gate-9', last]])).at).toEqual(fresh);
  });

  it('assigns positions that can be stored in the server ids of HAProxy and read from them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x1fff_ffff }), fc.boolean(), (place, header) => {
        expect(placeOf(idAt(place, header))).toBe(place);
        expect(idAt(place, header)).toBeLessThanOrEqual(0x7fff_ffff);
      }),
    );
    expect(placeOf(7)).toBeNull();
  });
});

describe('the connection limits that HAProxy has for proxies', () => {
  const loads = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }).map((connections) =>
    connections.map((count, index): ProxyLoad => ({
      ...{ name: `gate-${index}`, place: index, connections: count, uncounted: 0 },
      ...{ fillLevel: 40, maxPlayers: 50 },
    })),
  );
  const load = (place: number, connections: number, uncounted = 0): ProxyLoad => ({
    ...{ name: `gate-${place}`, place, connections, uncounted, fillLevel: 40, maxPlayers: 50 },
  });

  it('always leave the last proxy without a limit, so that no player is refused', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5]), (places) => {
        const limits = connectionLimits(places.map((place) => load(place, 50)));
        const unlimited = [...limits].filter(([, limit]) => limit === NO_LIMIT).map(([name]) => name);
        expect(unlimited).toEqual(places.length === 0 ? [] : [`gate-${Math.max(...places)}`]);
      }),
    );
  });

  it('allow more players than the fill level only if every proxy has reached its fill level', () => {
    fc.assert(
      fc.property(loads, (proxies) => {
        const limits = connectionLimits(proxies);
        const taker = proxies.find(({ name, connections }) => {
          const limit = limits.get(name) ?? NO_LIMIT;
          return limit === NO_LIMIT || connections < limit;
        });
        const hasRoom = proxies.some(({ connections }) => connections < 40);
        if (hasRoom) expect(taker?.connections).toBeLessThan(40);
        else if (proxies.some(({ connections }) => connections < 50))
          expect(taker === proxies.at(-1) || (taker?.connections ?? 0) < 50).toBe(true);
      }),
    );
  });

  it.each([
    [
      'fill the first proxy to its fill level while another proxy has room',
      [load(1, 3), load(2, 0)],
      [40, 0],
    ],
    [
      'fill proxies completely once all of them have reached their fill level',
      [load(1, 40), load(2, 41), load(3, 40)],
      [50, 50, 0],
    ],
    [
      'fill proxies only to their fill levels again once a proxy is below its fill level',
      [load(1, 50), load(2, 39), load(3, 40)],
      [40, 40, 0],
    ],
    ['are reduced by players whom HAProxy does not count', [load(1, 0, 30), load(2, 0)], [10, 0]],
    ['are never 0, which would mean no limit', [load(1, 0, 45), load(2, 0)], [1, 0]],
  ])('%s', (_, proxies, limits) => {
    expect([...connectionLimits(proxies).values()]).toEqual(limits);
  });
});

describe('players who connect through HAProxy', () => {
  /**
   * Simulates joins and leaves with HAProxy's `balance first` and the rules under test. Returns the highest number of
   * proxies in use.
   */
  function play(steps: readonly (number | 'join')[]): {
    readonly mostUsed: number;
    readonly players: number;
  } {
    const proxies = new Map<string, number>([['gate-1', 0]]);
    let places: ReadonlyMap<string, number> = new Map([['gate-1', 1]]);
    let [number, mostUsed, mostPlayers] = [1, 0, 0];
    const maxPlayers = 10;
    const level = fillLevel({ startNewServiceAtTemplateCapacity: 0 }, maxPlayers);
    for (const step of steps) {
      // The rules keep the oldest empty proxy, and stop all other empty proxies.
      const empty = [...proxies].filter(([, count]) => count === 0).map(([name]) => name);
      for (const name of empty.slice(1)) proxies.delete(name);
      if (empty.length === 0) proxies.set(`gate-${(number += 1)}`, 0);
      places = assignPlaces(
        [...proxies].map(([name, count]) => ({ name, open: true, used: count > 0, movable: true })),
        places,
      ).at;
      const loads = [...proxies].map(([name, connections]): ProxyLoad => ({
        ...{ name, connections, place: places.get(name) ?? 0, uncounted: 0, maxPlayers, fillLevel: level },
      }));
      if (step === 'join') {
        const limits = connectionLimits(loads);
        const taker = loads
          .toSorted((one, other) => one.place - other.place)
          .find(({ name, connections }) => {
            const limit = limits.get(name) ?? NO_LIMIT;
            return limit === NO_LIMIT || connections < limit;
          });
        if (taker === undefined) throw new Error('a player was refused');
        proxies.set(taker.name, taker.connections + 1);
      } else {
        const inUse = loads.filter(({ connections }) => connections > 0);
        const left = inUse[step % Math.max(1, inUse.length)];
        if (left !== undefined) proxies.set(left.name, left.connections - 1);
      }
      const counts = [...proxies.values()];
      mostUsed = Math.max(mostUsed, counts.filter((count) => count > 0).length);
      mostPlayers = Math.max(
        mostPlayers,
        counts.reduce((sum, count) => sum + count, 0),
      );
    }
    return { mostUsed, players: mostPlayers };
  }

  it('never use more proxies than the highest number of players requires, even if they join and leave at random', () => {
    const step = fc.oneof(fc.constant('join' as const), fc.nat({ max: 1_000 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const { mostUsed, players } = play(steps);
        expect(mostUsed).toBeLessThanOrEqual(Math.ceil(players / 8));
      }),
      { numRuns: 300 },
    );
  });

  it('fill one proxy after the other if they only join', () => {
    const joins = (count: number) => Array.from({ length: count }, () => 'join' as const);
    expect([1, 2, 8, 9, 16, 17].map((count) => play(joins(count)).mostUsed)).toEqual([1, 1, 1, 2, 2, 3]);
  });
});

describe('the fill level of a service', () => {
  it.each([
    [50, 0, 40],
    [50, 50, 25],
    [50, 100, 50],
    [1, 0, 1],
    [3, 1, 1],
    [10, 75, 8],
  ])('with %i slots and a start threshold of %i percent is %i', (slots, threshold, level) => {
    expect(fillLevel({ startNewServiceAtTemplateCapacity: threshold }, slots)).toBe(level);
  });
});
