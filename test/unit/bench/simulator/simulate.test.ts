import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Action } from '#master/core/action.ts';
import { aNetworkModel, type NetworkModel } from '#test/bench/simulator/network.ts';
import { fewestPaidHours, nodesNeeded } from '#test/bench/simulator/optimum.ts';
import { bufferRules } from '#test/bench/simulator/policies/buffer.ts';
import {
  CLUSTER_AUTOSCALER_DEFAULTS,
  clusterAutoscalerRules,
} from '#test/bench/simulator/policies/cluster-autoscaler.ts';
import { ours, ourNodeRules, ourServiceRules } from '#test/bench/simulator/policies/ours.ts';
import { combine } from '#test/bench/simulator/policies/parts.ts';
import { PERCENT_DEFAULTS, percentRules } from '#test/bench/simulator/policies/percent.ts';
import { simulate, type Planner, type SimulationOptions } from '#test/bench/simulator/simulate.ts';
import { makeTrace, type Trace } from '#test/bench/simulator/trace.ts';

const HOUR = 3_600_000;
const HOURS = 3;
const SEED = 7;

const network = aNetworkModel({ serviceLifeMs: 40 * HOUR, nodeLifeMs: 20 * HOUR });
const trace = makeTrace('event-spike', { network, seed: SEED, peak: 200, hours: HOURS });

const nodes = () => clusterAutoscalerRules({ ...CLUSTER_AUTOSCALER_DEFAULTS, placing: 'packed' });
const policies: Readonly<Record<string, () => Planner>> = {
  ours,
  buffer: () => combine(bufferRules({ size: { count: 2 }, syncMs: 30_000 }), nodes()),
  percent: () => combine(percentRules(PERCENT_DEFAULTS), nodes()),
  'our services, their nodes': () => combine(ourServiceRules, nodes()),
  'their services, our nodes': () =>
    combine(bufferRules({ size: { percent: 20 }, syncMs: 30_000 }), ourNodeRules),
};

function run(changes: Partial<SimulationOptions> = {}) {
  return simulate({ network, trace, planner: ours(), seed: SEED, ...changes });
}

describe.each(Object.entries(policies))('a simulated day with the rules "%s"', (_, planner) => {
  const { summary, series, nodeLog } = run({ planner: planner() });

  it('counts each player once: as online, waiting, left, or having given up', () => {
    const { came, left, gaveUp, online, waiting } = summary.people;
    expect(came).toBe(trace.arrivals.length);
    expect(left + gaveUp + online + waiting).toBe(came);
    expect(online).toBe(series.at(-1)?.players);
  });

  it('never uses more RAM than the nodes have, and never stops a service in use', () => {
    for (const { allocatedMb, totalMb } of series) expect(allocatedMb).toBeLessThanOrEqual(totalMb);
    expect(summary.services.stoppedInUse).toBe(0);
  });

  it('charges each node for every hour that has begun', () => {
    let hours = 0;
    for (const { orderedAt, deletedAt } of nodeLog) {
      for (let begin = orderedAt; begin < (deletedAt ?? trace.durationMs); begin += HOUR) hours += 1;
    }
    expect(summary.nodeHours).toBe(hours);
    const price = network.nodeTypes[0]?.hourlyPrice ?? NaN;
    expect(summary.cost).toBeCloseTo(hours * price, 6);
  });

  it('reports how the paid node hours were used, and the kinds of use add up to the paid hours', () => {
    const { 'hour-tail': tail, ...rest } = summary.uses;
    const existed = nodeLog.reduce(
      (sum, one) => sum + ((one.deletedAt ?? trace.durationMs) - one.orderedAt),
      0,
    );
    expect(Object.values(rest).reduce((sum, hours) => sum + hours, 0)).toBeCloseTo(existed / HOUR, 1);
    expect(tail).toBeCloseTo(summary.nodeHours - existed / HOUR, 1);
    expect(Math.min(...Object.values(summary.uses))).toBeGreaterThanOrEqual(-1e-9);
  });

  it('has the same summary when it is repeated', () => {
    expect(run({ planner: planner() }).summary).toEqual(summary);
  });
});

describe('the computed minimum of paid node hours', () => {
  const calm: NetworkModel = { ...network, serviceLifeMs: null, nodeLifeMs: null };
  const generous =
    (count: number): (() => Planner) =>
    () =>
      combine(bufferRules({ size: { count }, syncMs: 1_000 }), nodes());
  const kinds = ['weekday', 'weekend', 'slow-drift'] as const;

  it.each(kinds)('is not higher than the paid hours of rules under which no player waits (%s)', (name) => {
    const day = makeTrace(name, { network: calm, seed: SEED, peak: 300, hours: 6 });
    const bound = fewestPaidHours(
      nodesNeeded({ network: calm, trace: day, withMinimum: true }),
      day.durationMs,
    );
    const results = [generous(5), generous(8), ours].map(
      (planner) => simulate({ network: calm, trace: day, planner: planner(), seed: SEED }).summary,
    );
    const patient = results.filter(({ waits }) => waits.count === 0);
    expect(patient.length).toBeGreaterThan(0);
    for (const { nodeHours } of patient) expect(nodeHours).toBeGreaterThanOrEqual(bound);
    expect(bound).toBeGreaterThan(0);
  });
});

describe('a simulated day with a constant number of players', () => {
  const calm: NetworkModel = { ...network, serviceLifeMs: null, nodeLifeMs: null };
  /** 180 players who join at the opening and stay until the end. */
  const still: Trace = {
    name: 'still',
    durationMs: 6 * HOUR,
    openingMs: 600_000,
    arrivals: Array.from({ length: 180 }, (_, i) => ({
      at: 600_000 + i * 1_000,
      template: i % calm.templates.length,
      stayMs: 100 * HOUR,
      bot: false,
    })),
  };

  it('has no starts, stops, orders or releases after the first hour', () => {
    const late: Action[] = [];
    let start = 0;
    const watched: Planner = (snapshot) => {
      start ||= snapshot.now;
      const { actions } = plan(snapshot);
      if (snapshot.now - start > HOUR) late.push(...actions);
      return { actions };
    };
    const { summary, nodeLog } = simulate({ network: calm, trace: still, planner: watched, seed: SEED });
    expect(late).toEqual([]);
    const short = nodeLog.filter(({ deletedAt }) => deletedAt !== null).length;
    // Nodes that were ordered within the first hour are paid for six hours until the end. Deleted nodes are paid for
    // one hour.
    expect(summary.nodeHours).toBe(6 * (nodeLog.length - short) + short);
    expect(summary.people).toMatchObject({ online: 180, waiting: 0 });
  });
});

describe('a simulated day with failures', () => {
  const calm = aNetworkModel({ serviceLifeMs: null, nodeLifeMs: null });

  it('lets players of a crashed service join again', () => {
    const { summary } = run({ network: { ...calm, serviceLifeMs: 5 * HOUR } });
    expect(summary.services.crashes).toBeGreaterThan(0);
    expect(summary.services.thrownOut).toBeGreaterThan(0);
    expect(summary.waits.joins).toBe(trace.arrivals.length + summary.services.thrownOut);
  });

  it('releases lost nodes, and no player waits at the end', () => {
    const { summary, series } = run({ network: { ...calm, nodeLifeMs: 4 * HOUR } });
    expect(summary.nodes.lost).toBeGreaterThan(0);
    expect(summary.nodes.releases).toBeGreaterThanOrEqual(
      summary.nodes.lost - (series.at(-1)?.nodes.LOST ?? 0) - 1,
    );
    expect(series.at(-1)?.waiting).toBe(0);
  });

  it('charges nothing for a refused order, and repeats the order only every few minutes', () => {
    const none = run({ network: calm, stockOuts: [{ type: 'cpx32', from: 0, to: 24 * HOUR }] });
    expect(none.summary).toMatchObject({ nodeHours: 0, cost: 0 });
    expect(none.summary.nodes.orders).toBe(0);
    // The planner repeats a refused order every five minutes, not every second.
    expect(none.summary.nodes.refused).toBeGreaterThan(10);
    expect(none.summary.nodes.refused).toBeLessThan(500);
    expect(none.summary.people.waiting).toBeGreaterThan(0);
  });

  it('removes a player who has waited too long', () => {
    const { summary } = run({
      network: { ...calm, patienceMs: 60_000 },
      stockOuts: [{ type: 'cpx32', from: 0, to: 24 * HOUR }],
    });
    expect(summary.waits.gaveUp).toBeGreaterThan(0);
    expect(summary.waits.gaveUp + summary.people.waiting).toBe(trace.arrivals.length);
    expect(summary.waits.meanS).toBeGreaterThan(40);
    expect(summary.waits.meanS).toBeLessThan(80);
  });
});
