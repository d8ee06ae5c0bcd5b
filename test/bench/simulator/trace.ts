import { constant, eventSpike, slowDrift, weekday, weekend, type Curve } from './curves.ts';
import type { NetworkModel, TemplateModel } from './network.ts';
import { Random } from './random.ts';

/** Arrival of a person who joins. Arrivals are sorted by time. */
export interface Arrival {
  /** Time since the start of the trace (ms). */
  readonly at: number;
  /** Index into the templates of the network. */
  readonly template: number;
  /** Length of the stay once the person is on a service (ms). */
  readonly stayMs: number;
  /** Whether the person is a bot. A bot takes room like a player, but its waiting time does not count. */
  readonly bot: boolean;
}

/** All arrivals of a day, which no policy can influence. */
export interface Trace {
  readonly name: string;
  readonly durationMs: number;
  /** Length of the opening (ms). During the opening, the network starts, and no player joins. */
  readonly openingMs: number;
  readonly arrivals: readonly Arrival[];
}

export const traceNames = ['weekday', 'weekend', 'event-spike', 'slow-drift', 'bot-flood'] as const;
export type TraceName = (typeof traceNames)[number] | 'constant';

export interface TraceOptions {
  readonly network: Pick<NetworkModel, 'templates'>;
  readonly seed: number;
  /** Number of players at the highest point of the curve. */
  readonly peak: number;
  readonly hours?: number;
}

const HOUR = 3_600_000;

/** Length of a time span with a constant arrival rate (ms). */
const STEP_MS = 10_000;

/**
 * Length of the opening (ms). It is enough for the start of a node (90 s), the copy of the files (4 s), the start of
 * the slowest server (45 s), and a second attempt of each.
 */
const OPENING_MS = 10 * 60_000;

const curves: Readonly<Record<TraceName, Curve>> = {
  weekday,
  weekend,
  'event-spike': eventSpike,
  'slow-drift': slowDrift,
  'bot-flood': (hour) => 0.7 * weekday(hour),
  constant,
};

/**
 * Attack by bots: from 17:00 on, sixty bots per second join for ten minutes, most of them in the lobby. Each bot is
 * kicked after some seconds.
 */
const FLOOD = { from: 13 * HOUR, ms: 10 * 60_000, perSecond: 60, stayMs: 8_000, lobbyPart: 0.9 };

/**
 * Generates a trace. Arrivals are a non-homogeneous Poisson process in which the expected number of players follows
 * the curve of the trace.
 */
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
  // Sort arrivals at equal times by template, so that a seed results in the same trace on all JavaScript engines.
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
 * Generates arrivals for a wanted number of players N(t) at the rate N(t) / mean stay + N'(t), but at least 0. If
 * stays were exponentially distributed, this rate would result in the expected number N(t). After a fall of N(t), no
 * player joins until enough players have left.
 */
function people({ template, index, players, durationMs }: Crowd, random: Random): Arrival[] {
  const arrivals: Arrival[] = [];
  const { medianMs: median, meanMs: mean } = template.stay;
  let left = random.exponential(1);
  for (let from = 0; from < durationMs; from += STEP_MS) {
    const change = (players(from + STEP_MS) - players(from)) / STEP_MS;
    // At the end of the opening, the wanted number jumps. Players arrive over time and not all at once, so the jump
    // itself adds no arrivals.
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
