import { constant, eventSpike, slowDrift, weekday, weekend, type Curve } from './curves.ts';
import type { NetworkModel, TemplateModel } from './network.ts';
import { Random } from './random.ts';

/** Somebody who comes, in order of time. */
export interface Arrival {
  /** ms since the start of the trace. */
  readonly at: number;
  /** Index into the network's templates. */
  readonly template: number;
  /** How long they stay once they are on a service, ms. */
  readonly stayMs: number;
  /** Takes room as people do, but nobody minds how long it waits. */
  readonly bot: boolean;
}

/** A day of players. Everything that a policy cannot influence. */
export interface Trace {
  readonly name: string;
  readonly durationMs: number;
  /** The network is being started until then: nobody comes. */
  readonly openingMs: number;
  readonly arrivals: readonly Arrival[];
}

export const traceNames = ['weekday', 'weekend', 'event-spike', 'slow-drift', 'bot-flood'] as const;
export type TraceName = (typeof traceNames)[number] | 'constant';

export interface TraceOptions {
  readonly network: Pick<NetworkModel, 'templates'>;
  readonly seed: number;
  /** Players at the curve's highest point. */
  readonly peak: number;
  readonly hours?: number;
}

const HOUR = 3_600_000;

/** Rates are held constant for so long, ms. */
const STEP_MS = 10_000;

/** Enough for a node (90 s), the files (4 s) and the slowest server (45 s), and for a second try of each. */
const OPENING_MS = 10 * 60_000;

const curves: Readonly<Record<TraceName, Curve>> = {
  weekday,
  weekend,
  'event-spike': eventSpike,
  'slow-drift': slowDrift,
  'bot-flood': (hour) => 0.7 * weekday(hour),
  constant,
};

/** At 17:00, ten minutes of sixty bots a second, most into the lobby, that are thrown out after some seconds. */
const FLOOD = { from: 13 * HOUR, ms: 10 * 60_000, perSecond: 60, stayMs: 8_000, lobbyPart: 0.9 };

/** Generates a trace: non-homogeneous Poisson arrivals whose expected presence follows the trace's curve. */
export function makeTrace(name: TraceName, { network, seed, peak, hours = 24 }: TraceOptions): Trace {
  const durationMs = OPENING_MS + hours * HOUR;
  const players = (ms: number): number =>
    ms < OPENING_MS ? 0 : peak * curves[name](((ms - OPENING_MS) / HOUR) * (24 / hours));
  const arrivals = network.templates.flatMap((template, index) => {
    const random = new Random(seed, `${name}/${template.id}`);
    return people({ template, index, players, durationMs }, random);
  });
  if (name === 'bot-flood')
    arrivals.push(...bots(network.templates.length, new Random(seed, name), hours / 24));
  // Equal times are ordered by template: the same trace for the same seed on any engine.
  arrivals.sort((a, b) => a.at - b.at || a.template - b.template);
  return { name, durationMs, openingMs: OPENING_MS, arrivals };
}

interface Crowd {
  readonly template: TemplateModel;
  readonly index: number;
  readonly players: (ms: number) => number;
  readonly durationMs: number;
}

/**
 * For a wanted presence N(t) people come at the rate N(t) / mean stay + N'(t), never below 0: with exponential stays
 * the expected presence is then exactly N(t). (After a fall nobody comes until enough have left.)
 */
function people({ template, index, players, durationMs }: Crowd, random: Random): Arrival[] {
  const arrivals: Arrival[] = [];
  const { medianMs: median, meanMs: mean } = template.stay;
  let left = random.exponential(1);
  for (let from = 0; from < durationMs; from += STEP_MS) {
    const change = (players(from + STEP_MS) - players(from)) / STEP_MS;
    // The opening of the doors is a tide of people, not all at once: its jump is left to the inflow.
    const tide = players(from) === 0 ? 0 : change;
    const rate = template.share * Math.max(0, players(from) / mean + tide);
    for (let at = 0; ;) {
      const needed = rate === 0 ? Infinity : left / rate;
      if (at + needed >= STEP_MS) {
        left -= (STEP_MS - at) * rate;
        break;
      }
      at += needed;
      left = random.exponential(1);
      arrivals.push({
        at: from + at,
        template: index,
        stayMs: random.logNormal({ median, mean }),
        bot: false,
      });
    }
  }
  return arrivals;
}

function bots(templates: number, random: Random, scale: number): Arrival[] {
  const arrivals: Arrival[] = [];
  const end = FLOOD.from * scale + FLOOD.ms;
  for (let at = FLOOD.from * scale; at < end; at += random.exponential(1000 / FLOOD.perSecond)) {
    const template = random.uniform(0, 1) < FLOOD.lobbyPart ? 0 : Math.floor(random.uniform(1, templates));
    arrivals.push({ at, template, stayMs: random.exponential(FLOOD.stayMs), bot: true });
  }
  return arrivals;
}
