import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { aProxyNetwork, type NetworkModel } from '#test/bench/simulator/network.ts';
import { simulate, type Simulation } from '#test/bench/simulator/simulate.ts';
import { makeTrace } from '#test/bench/simulator/trace.ts';

const PEAK = 300;

/** Simulates a weekday on which players join through the load balancer. */
function day(joining: NetworkModel['joining']): Simulation {
  const network = { ...aProxyNetwork(joining), serviceLifeMs: null, nodeLifeMs: null };
  const trace = makeTrace('weekday', { network, seed: 1, peak: PEAK, hours: 24 });
  return simulate({ network, trace, planner: plan, seed: 1, sampleMs: 60_000 });
}

function mostServices({ series }: Simulation): number {
  return Math.max(...series.map(({ services }) => services.RUNNING + services.IN_USE));
}

describe('the number of proxies on a simulated day', () => {
  const filled = day('load-balancer');
  const spread = day('emptiest');

  it('exceeds the required number by at most two', () => {
    const { peakPlayers } = filled.summary;
    expect(peakPlayers).toBeGreaterThan(PEAK * 0.9);
    expect(mostServices(filled)).toBeLessThanOrEqual(Math.ceil(peakPlayers / 40) + 2);
  });

  it('is far higher if each player joins the emptiest proxy', () => {
    expect(mostServices(spread)).toBeGreaterThan(2 * mostServices(filled));
    expect(filled.summary.services.starts).toBeLessThan(spread.summary.services.starts / 4);
  });

  it('is always sufficient, so that no player has to wait', () => {
    expect(filled.summary.waits.count).toBe(0);
  });
});
