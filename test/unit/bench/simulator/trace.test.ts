import { describe, expect, it } from 'vitest';
import { aNetworkModel } from '#test/bench/simulator/network.ts';
import { makeTrace, traceNames, type Trace } from '#test/bench/simulator/trace.ts';

const HOUR = 3_600_000;
const network = aNetworkModel();

function presentAt({ arrivals, openingMs }: Trace, hour: number): number {
  const now = openingMs + hour * HOUR;
  return arrivals.filter(({ at, stayMs }) => at <= now && now < at + stayMs).length;
}

describe('a generated list of player arrivals', () => {
  it.each(traceNames)('is the same for the same seed, and different for a different seed (%s)', (name) => {
    const [one, same, other] = [3, 3, 4].map((seed) => makeTrace(name, { network, seed, peak: 50 }));
    expect(one).toEqual(same);
    expect(one?.arrivals).not.toEqual(other?.arrivals);
  });

  it.each(traceNames)('is sorted by time, within the simulated day (%s)', (name) => {
    const { arrivals, openingMs, durationMs } = makeTrace(name, { network, seed: 3, peak: 50 });
    const times = arrivals.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(openingMs);
    expect(times.at(-1)).toBeLessThan(durationMs);
  });

  it('has as many players as its curve requires', () => {
    const trace = makeTrace('constant', { network, seed: 3, peak: 2000, hours: 12 });
    // Because of long stays, the number of players becomes steady only after hours. Then it is about 2,000 ± 2 ·
    // √2000.
    for (const hour of [8, 9, 10, 11]) expect(Math.abs(presentAt(trace, hour) - 2000)).toBeLessThan(150);
  });

  it('has three times the players within minutes if it contains an event', () => {
    const trace = makeTrace('event-spike', { network, seed: 3, peak: 1500 });
    const [before, after] = [presentAt(trace, 15), presentAt(trace, 15 + 5 / 60)];
    expect(after / before).toBeGreaterThan(2.5);
    expect(after / before).toBeLessThan(3.5);
  });

  it('has many bots with short stays if it contains a bot flood', () => {
    const { arrivals } = makeTrace('bot-flood', { network, seed: 3, peak: 1500 });
    const bots = arrivals.filter(({ bot }) => bot);
    expect(bots.length).toBeGreaterThan(30_000);
    expect(bots.reduce((sum, { stayMs }) => sum + stayMs, 0) / bots.length).toBeLessThan(10_000);
  });
});
