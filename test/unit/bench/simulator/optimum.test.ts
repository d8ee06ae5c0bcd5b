import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewestNodes, type Kind } from '#test/bench/simulator/bin-bound.ts';
import { fewestPaidHours, nodesNeeded, type Step } from '#test/bench/simulator/optimum.ts';
import { EIGHT_GB, template } from '#test/bench/simulator/network.ts';

const HOUR = 3_600_000;
const GRID = HOUR / 3;

describe('fewestPaidHours (fewest paid hours of nodes that cover a demand)', () => {
  const cases: readonly (readonly [string, readonly (readonly [hour: number, count: number])[], number])[] = [
    ['returns 0 if no node is needed', [[0, 0]], 0],
    [
      'returns 1 for one node that is needed for a moment',
      [
        [0, 1],
        [0.01, 0],
      ],
      1,
    ],
    [
      'returns 2 for one node that is needed for slightly more than an hour',
      [
        [0, 1],
        [1.01, 0],
      ],
      2,
    ],
    [
      'counts one hour if the same node is needed twice within it',
      [
        [0, 1],
        [0.2, 0],
        [0.8, 1],
        [0.9, 0],
      ],
      1,
    ],
    [
      'counts an hour once if it covers two separate peaks of the demand',
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
    ['counts every hour of nodes that are needed until the end', [[0, 3]], 12],
  ];
  it.each(cases)('%s', (_, steps, want) => {
    const inMs = steps.map(([hour, count]) => ({ at: hour * HOUR, count }));
    expect(fewestPaidHours(inMs, 4 * HOUR)).toBe(want);
  });

  it('returns the same number as an exhaustive search', () => {
    const demand = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(demand, (counts) => {
        const steps = counts.map((count, i): Step => ({ at: i * GRID, count }));
        expect(fewestPaidHours(steps, counts.length * GRID)).toBe(byTrying(counts));
      }),
      { numRuns: 300 },
    );
  });

  /**
   * Finds the minimum by trying all combinations of rentals. A rental covers three slots of the grid. In each step,
   * the first uncovered slot becomes the first, the second or the third slot of a rental.
   */
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

describe('fewestNodes (minimum number of nodes for a set of services)', () => {
  it('does not put two services on a node without enough RAM for both', () => {
    expect(fewestNodes([{ sizeMb: 4471, count: 5 }], { nodeMb: 7168, fill: 1 })).toBe(5);
  });

  it("on request, leaves a part of each node's RAM free", () => {
    expect(fewestNodes([{ sizeMb: 1000, count: 70 }], { nodeMb: 7000, fill: 1 })).toBe(10);
    expect(fewestNodes([{ sizeMb: 1000, count: 70 }], { nodeMb: 7000, fill: 0.8 })).toBe(13);
  });

  it('never returns more nodes than the best distribution of services needs', () => {
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

describe('nodesNeeded (nodes that the players need over time)', () => {
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

  it('counts nodes for all players from the moment they join', () => {
    // 31 players need four services of 2,384 MB, and three such services fit on a node. 11 players need two services.
    expect(nodesNeeded({ network, trace, withMinimum: false })).toEqual([
      { at: 0, count: 0 },
      { at: HOUR, count: 1 },
      { at: HOUR, count: 2 },
      { at: 1.5 * HOUR, count: 1 },
      { at: 3 * HOUR, count: 0 },
    ]);
  });

  it('on request, also counts nodes for the minimum of each template', () => {
    expect(nodesNeeded({ network, trace, withMinimum: true }).at(-1)).toEqual({ at: 1.5 * HOUR, count: 1 });
    expect(nodesNeeded({ network, trace, withMinimum: true })[1]).toEqual({ at: 600_000, count: 1 });
  });
});
