import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewestNodes, type Kind } from '#test/bench/simulator/bin-bound.ts';
import { fewestPaidHours, nodesNeeded, type Step } from '#test/bench/simulator/optimum.ts';
import { EIGHT_GB, template } from '#test/bench/simulator/network.ts';

const HOUR = 3_600_000;
const GRID = HOUR / 3;

describe('fewest paid hours', () => {
  const cases: readonly (readonly [string, readonly (readonly [hour: number, count: number])[], number])[] = [
    ['nothing is needed', [[0, 0]], 0],
    [
      'one node for a moment costs an hour',
      [
        [0, 1],
        [0.01, 0],
      ],
      1,
    ],
    [
      'one node for an hour and a moment costs two',
      [
        [0, 1],
        [1.01, 0],
      ],
      2,
    ],
    [
      'a gap shorter than the rest of the hour is paid for anyway',
      [
        [0, 1],
        [0.2, 0],
        [0.8, 1],
        [0.9, 0],
      ],
      1,
    ],
    [
      'an hour may serve two layers, one after the other',
      [
        [0, 1],
        [0.1, 0],
        [0.5, 2],
        [0.6, 0],
        [1.2, 1],
        [1.4, 0],
      ],
      2,
    ],
    ['what is needed to the end is paid to the end', [[0, 3]], 12],
  ];
  it.each(cases)('%s', (_, steps, want) => {
    const inMs = steps.map(([hour, count]) => ({ at: hour * HOUR, count }));
    expect(fewestPaidHours(inMs, 4 * HOUR)).toBe(want);
  });

  it('equal the result of an exhaustive search', () => {
    const demand = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(demand, (counts) => {
        const steps = counts.map((count, i): Step => ({ at: i * GRID, count }));
        expect(fewestPaidHours(steps, counts.length * GRID)).toBe(byTrying(counts));
      }),
      { numRuns: 300 },
    );
  });

  /** Every rental covers three slots of the grid; the first slot that lacks one is covered from each possible start. */
  function byTrying(missing: readonly number[]): number {
    const lacking = missing.findIndex((count) => count > 0);
    if (lacking === -1) return 0;
    const starts = [lacking - 2, lacking - 1, lacking];
    return (
      1 +
      Math.min(
        ...starts.map((start) => byTrying(missing.map((n, i) => (i >= start && i < start + 3 ? n - 1 : n)))),
      )
    );
  }
});

describe('fewest nodes', () => {
  it('take into account that two large services never share a node', () => {
    expect(fewestNodes([{ sizeMb: 4471, count: 5 }], { nodeMb: 7168, fill: 1 })).toBe(5);
  });

  it('leave a part of the RAM free if requested', () => {
    expect(fewestNodes([{ sizeMb: 1000, count: 70 }], { nodeMb: 7000, fill: 1 })).toBe(10);
    expect(fewestNodes([{ sizeMb: 1000, count: 70 }], { nodeMb: 7000, fill: 0.8 })).toBe(13);
  });

  it('are never more than the best packing needs', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(sizes, (services) => {
        const kinds = [...new Set(services)].map((sizeMb): Kind => ({
          sizeMb,
          count: services.filter((one) => one === sizeMb).length,
        }));
        expect(fewestNodes(kinds, { nodeMb: 10, fill: 1 })).toBeLessThanOrEqual(bestPacking(services, []));
      }),
      { numRuns: 300 },
    );
  });

  function bestPacking([next, ...rest]: readonly number[], free: readonly number[]): number {
    if (next === undefined) return free.length;
    const into = free.flatMap((left, i) => (left >= next ? [free.with(i, left - next)] : []));
    return Math.min(...[...into, [...free, 10 - next]].map((packing) => bestPacking(rest, packing)));
  }
});

describe('nodes needed', () => {
  const lobby = template('lobby', {
    share: 1,
    maxPlayers: 10,
    ram: 2009,
    spare: 1,
    stay: [1, 2],
    boot: [1, 2],
  });
  const network = { templates: [lobby], nodeTypes: [EIGHT_GB] };
  const arrivals = Array.from({ length: 31 }, (_, i) => ({
    at: HOUR,
    template: 0,
    stayMs: i < 11 ? 2 * HOUR : HOUR / 2,
    bot: false,
  }));
  const trace = { name: 'table', durationMs: 4 * HOUR, openingMs: 600_000, arrivals };

  it('cover all players from the moment they join', () => {
    // 31 players need four services of 2,384 MB, three of which fit on a node; eleven need two.
    expect(nodesNeeded({ network, trace, withMinimum: false })).toEqual([
      { at: 0, count: 0 },
      { at: HOUR, count: 1 },
      { at: HOUR, count: 2 },
      { at: 1.5 * HOUR, count: 1 },
      { at: 3 * HOUR, count: 0 },
    ]);
  });

  it('include the nodes for the minimum if requested', () => {
    expect(nodesNeeded({ network, trace, withMinimum: true }).at(-1)).toEqual({ at: 1.5 * HOUR, count: 1 });
    expect(nodesNeeded({ network, trace, withMinimum: true })[1]).toEqual({ at: 600_000, count: 1 });
  });
});
