import { randomInt } from 'node:crypto';
import { RawPlayer } from '#test/support/players/raw-player.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { BenchContext, Benchmark } from '../kit/benchmark.ts';
import { pause, secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Measurement } from '../kit/measurement.ts';
import { startPlayerChain, type PlayerChain } from '../kit/network/player-chain.ts';
import { median, spread } from '../kit/statistics.ts';

/**
 * Number of successive joins in one run. A single join takes only some milliseconds, which other load on the machine
 * may distort.
 */
const JOINS_PER_RUN = 20;

/**
 * Random pause between two joins (ms). Real players join at any time, sometimes while the plugin and the master are
 * still handling the previous join. The plugin reports a join after 20 ms. With a fixed pause, the next join would
 * always or never coincide with this report.
 */
const REST_MS = { least: 10, most: 100 };

/** Measures how much our plugin delays a player who joins, and how soon the app shows the player. */
export const players: Benchmark = {
  metrics: ['login-latency', 'login-burst', 'join-reaction'],
  async run(context) {
    const chain = await startPlayerChain(context.scope);
    // Crowds join first. So in the second measurement, neither proxy does anything for the first time.
    const crowds = await burst(chain, context);
    return [await latency(chain, context), crowds, await reaction(chain, context)];
  },
};

let lastNumber = 0;

/**
 * Returns a name that no other player has had. A player with the same name would replace a player who is still
 * leaving.
 */
function nextName(): string {
  lastNumber += 1;
  return `Player${lastNumber}`;
}

async function latency(
  { proxy, ours, without }: PlayerChain,
  { quick, say }: BenchContext,
): Promise<Measurement> {
  const n = quick ? 3 : 20;
  say(`${n} times ${JOINS_PER_RUN} joins each way, one after the other`);
  const pairs = await interleave(n, { ours: () => joinInARow(ours), baseline: () => joinInARow(without) });
  const [value, baseline] = [median(pairs.ours), median(pairs.baseline)];
  return {
    metric: 'login-latency',
    value,
    unit: 'ms',
    baseline,
    n,
    note: `from connecting until the game server lets the player in, each run the median of ${JOINS_PER_RUN} joins through ${proxy.name} with our plugin (${spread(pairs.ours)}), beside the same proxy without it (${spread(pairs.baseline)}), to the same game server; the proxy has places of its own, so nobody waits for the master; our plugin adds ${(value - baseline).toFixed(2)} ms`,
    goal: { of: 'ratio', atMost: 1.05 },
  };
}

/**
 * Lets players join one after the other. Each player leaves before the next player joins. Returns the median time of
 * a join (ms).
 */
async function joinInARow(port: number): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < JOINS_PER_RUN; i += 1) {
    const began = performance.now();
    const player = await RawPlayer.join(port, nextName());
    taken.push(performance.now() - began);
    player.leave();
    await pause(randomInt(REST_MS.least, REST_MS.most));
  }
  return median(taken);
}

async function burst(
  { proxy, master, ours, without }: PlayerChain,
  { quick, say }: BenchContext,
): Promise<Measurement> {
  const [n, count] = quick ? [1, 50] : [7, 300];
  say(`${n} times ${count} players at once each way`);
  const untilEmpty = async (): Promise<void> => {
    await waitFor(async () => {
      const { services } = await master.call('services.list', {});
      return services.every((service) => service.players.online === 0);
    });
  };
  const all = (port: number) => async (): Promise<number> => {
    const names = Array.from({ length: count }, nextName);
    let crowd: readonly RawPlayer[] = [];
    const seconds = await secondsOf(async () => {
      crowd = await Promise.all(names.map((name) => RawPlayer.join(port, name)));
    });
    for (const player of crowd) player.leave();
    await untilEmpty();
    return seconds * 1000;
  };
  const pairs = await interleave(n, { ours: all(ours), baseline: all(without) });
  const [value, baseline] = [median(pairs.ours), median(pairs.baseline)];
  const rate = (ms: number): string => ((count * 1000) / ms).toFixed(0);
  return {
    metric: 'login-burst',
    value,
    unit: 'ms',
    baseline,
    n,
    note: `until ${count} players who come at the same instant are all in, through ${proxy.name} with our plugin (${spread(pairs.ours, 0)}; ${rate(value)} players/s), beside the same proxy without it (${spread(pairs.baseline, 0)}; ${rate(baseline)} players/s)`,
    goal: null,
  };
}

async function reaction({ master, ours }: PlayerChain, { quick, say }: BenchContext): Promise<Measurement> {
  const n = quick ? 5 : 50;
  say(`${n} joins until a dashboard knows`);
  const waiting = new Set<() => void>();
  await master.onStale((topics) => {
    if (topics.includes('players')) for (const look of waiting) look();
  });
  const taken: number[] = [];
  for (let i = -1; i < n; i += 1) {
    const name = nextName();
    const known = new Promise<number>((resolve, reject) => {
      const look = (): void => {
        // Like the app, requests the list of players when it is notified that players have changed.
        master.call('players.list', {}).then(({ players: list }) => {
          if (!list.some((player) => player.name === name)) return;
          waiting.delete(look);
          resolve(performance.now());
        }, reject);
      };
      waiting.add(look);
    });
    const player = await RawPlayer.join(ours, name);
    const joinedAt = performance.now();
    const seenAt = await known;
    if (i >= 0) taken.push(Math.max(0, seenAt - joinedAt));
    player.leave();
  }
  return {
    metric: 'join-reaction',
    value: median(taken),
    unit: 'ms',
    baseline: null,
    n,
    note: `from the moment a player is on a game server until an admin who was told that players have changed has got the list with that player (${spread(taken, 0)}); the master says what has changed at most ten times a second`,
    goal: null,
  };
}
