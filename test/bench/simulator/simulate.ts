import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { Attribution, type Uses } from './attribution.ts';
import { billFor, type Bill } from './ledger.ts';
import type { NetworkModel } from './network.ts';
import type { StockOut } from './nodes.ts';
import { sample, type Sample } from './series.ts';
import type { Trace } from './trace.ts';
import type { Waits } from './wait-book.ts';
import { World } from './world.ts';

/** Returns the actions for a snapshot. A planner may keep state between calls, so each run needs its own planner. */
export type Planner = (snapshot: Snapshot) => Pick<Plan, 'actions'>;

export interface SimulationOptions {
  readonly network: NetworkModel;
  readonly trace: Trace;
  readonly planner: Planner;
  /** Seed of start times, crashes and losses. The trace has another seed. */
  readonly seed: number;
  readonly upscalingAtPercent?: number;
  /** Time spans in which a server type is sold out (ms since the start of the trace). */
  readonly stockOuts?: readonly StockOut[];
  /** Time between two rounds while there is nothing to do (ms). */
  readonly calmRoundMs?: number;
  /** Time between two samples of the series (ms); 0 switches the series off. */
  readonly sampleMs?: number;
}

export interface Summary extends Bill {
  readonly waits: Waits;
  readonly peakPlayers: number;
  readonly rounds: number;
  readonly services: World['services']['counts'];
  readonly nodes: World['nodes']['counts'];
  /** Node-hours by use. */
  readonly uses: Uses;
  /**
   * Numbers of people, including bots. `came` is the number of all people, and equals the sum of the other numbers.
   */
  readonly people: Readonly<Record<'came' | 'left' | 'gaveUp' | 'online' | 'waiting', number>>;
}

export interface Simulation {
  readonly summary: Summary;
  readonly series: readonly Sample[];
  /** All nodes, including deleted nodes. Times are in ms since the start of the trace. */
  readonly nodeLog: readonly NodeLine[];
}

export interface NodeLine {
  readonly id: string;
  readonly type: string;
  readonly orderedAt: number;
  readonly deletedAt: number | null;
  readonly hourlyPrice: number;
}

/**
 * Start of the simulation. Its minutes and seconds are not zero, so that a result that depends on the start time is
 * noticed.
 */
const START = Date.UTC(2027, 0, 15, 3, 7, 11);

/** Time between two rounds while there is something to do or players wait (ms), as in the master's control loop. */
const BUSY_ROUND_MS = 1_000;

/**
 * Time between two rounds while there is nothing to do (ms). It may be longer than {@link BUSY_ROUND_MS}, because a
 * service takes at least ten seconds to start.
 */
const CALM_ROUND_MS = 5_000;

/** Simulates a trace with a policy. Equal options give exactly equal results. */
export function simulate(options: SimulationOptions): Simulation {
  const { network, trace, planner, seed, upscalingAtPercent = 80, stockOuts = [] } = options;
  const { calmRoundMs = CALM_ROUND_MS, sampleMs = 60_000 } = options;
  const world = new World({
    network,
    seed,
    start: START,
    upscalingAtPercent,
    maxOnlinePlayers: Math.max(1, trace.arrivals.length),
    stockOuts: stockOuts.map(({ type, from, to }) => ({ type, from: START + from, to: START + to })),
  });
  const { agenda } = world;
  const attribution = new Attribution(world, network);
  const series: Sample[] = [];
  let [rounds, peakPlayers] = [0, 0];

  letPeopleCome(world, trace);
  const round = (): void => {
    attribution.note();
    rounds += 1;
    peakPlayers = Math.max(peakPlayers, world.players.online);
    const plan = planner(world.observe());
    world.carryOut(plan);
    attribution.lookAgain();
    const busy = plan.actions.length > 0 || world.players.waiting > 0;
    agenda.enterIn(busy ? BUSY_ROUND_MS : calmRoundMs, round);
  };
  const look = (): void => {
    series.push(sample(world, agenda.now - START));
    agenda.enterIn(sampleMs, look);
  };
  agenda.enterIn(0, round);
  if (sampleMs > 0) agenda.enterIn(0, look);
  agenda.runUntil(START + trace.durationMs);
  attribution.note();

  for (const player of world.players.waitingPlayers()) {
    world.waits.waited(agenda.now - (player.waitsSince ?? agenda.now), player.bot);
  }
  const nodeLog = world.nodes.log.map(({ id, type, orderedAt, deletedAt }) => ({
    id,
    type: type.type,
    orderedAt: orderedAt - START,
    deletedAt: deletedAt === null ? null : deletedAt - START,
    hourlyPrice: type.hourlyPrice,
  }));
  const bill = billFor(nodeLog, trace.durationMs);
  const summary: Summary = {
    ...bill,
    waits: world.waits.sum(),
    peakPlayers,
    rounds,
    services: world.services.counts,
    nodes: world.nodes.counts,
    uses: attribution.sum(bill.nodeHours),
    people: { ...world.waits.all, online: world.players.online, waiting: world.players.waiting },
  };
  return { summary, series, nodeLog };
}

/** Adds the arrivals to the agenda one at a time, because a trace can contain very many arrivals. */
function letPeopleCome(world: World, { arrivals }: Trace): void {
  const next = (index: number): void => {
    const arrival = arrivals[index];
    if (arrival === undefined) return;
    world.agenda.enter(START + arrival.at, () => {
      world.players.arrive(arrival);
      next(index + 1);
    });
  };
  next(0);
}
