import type { Sample } from '#test/bench/simulator/series.ts';
import {
  clockAxis,
  HOUR_MS,
  legend,
  linear,
  note,
  ticksUpTo,
  valueAxis,
  type Frame,
  type Scale,
} from './plot.ts';
import { PICTURED, type SimulatedDay } from './simulated-day.ts';
import { closeTo, document, element, pathThrough, type Point } from './svg.ts';

const DAY_MS = 24 * HOUR_MS;
const WIDTH = 860;
const UPPER: Frame = { left: 56, right: 830, top: 84, bottom: 254 };
const LOWER: Frame = { left: 56, right: 830, top: 322, bottom: 472 };

/**
 * Number of one-minute samples whose mean is one point of a line. A service starts within seconds, so single samples
 * would show little.
 */
const MINUTES_A_POINT = 5;

const PLAYERS = '#2563eb';
const SLOTS = '#9a6700';

/** Layers of the picture, from bottom to top. */
const LAYERS = [
  { words: 'in use', fill: '#2563eb', of: ({ services }: Sample) => services.IN_USE },
  { words: 'empty and ready', fill: '#7dd3c0', of: ({ services }: Sample) => services.RUNNING },
  {
    words: 'starting or stopping',
    fill: '#f59e0b',
    of: ({ services: { REQUESTED, PREPARING, STARTING, STOPPING } }: Sample) =>
      REQUESTED + PREPARING + STARTING + STOPPING,
  },
] as const;

/** Returns the picture of a day: players, capacity, and the states of services. */
export function dayPicture({ series }: SimulatedDay): string {
  const points = meanOver(series.filter(({ at }) => at >= 0 && at <= DAY_MS));
  const x = linear([0, DAY_MS], [UPPER.left, UPPER.right]);
  return document({
    width: WIDTH,
    height: 532,
    title: 'One weekday: players, slots and services',
    description: describeDay(series),
    body: [...playersPanel(points, x), ...servicesPanel(points, x)],
  });
}

interface MeanPoint {
  readonly at: number;
  readonly of: (value: (sample: Sample) => number) => number;
}

function meanOver(series: readonly Sample[]): MeanPoint[] {
  const count = Math.floor(series.length / MINUTES_A_POINT);
  return Array.from({ length: count }, (_, i) => {
    const part = series.slice(i * MINUTES_A_POINT, (i + 1) * MINUTES_A_POINT);
    const mean = (value: (sample: Sample) => number): number =>
      part.reduce((sum, sample) => sum + value(sample), 0) / part.length;
    return { at: mean(({ at }) => at), of: mean };
  });
}

function playersPanel(points: readonly MeanPoint[], x: Scale): string[] {
  const most = Math.max(...points.map(({ of }) => of(({ slots }) => slots)));
  const y = linear([0, most], [UPPER.bottom, UPPER.top]);
  const through = (value: (sample: Sample) => number): Point[] =>
    points.map(({ at, of }) => ({ x: x(at), y: y(of(value)) }));
  const players = through((sample) => sample.players);
  const [from, to] = [players[0]?.x ?? 0, players.at(-1)?.x ?? 0];
  return [
    ...legend(
      { x: 56, y: 60 },
      [
        { words: 'players', swatch: { fill: PLAYERS, 'fill-opacity': 0.35 } },
        { words: 'slots of services that can be joined', swatch: { y: 55, height: 2, fill: SLOTS } },
      ],
      [90],
    ),
    ...valueAxis(UPPER, y, { ticks: ticksUpTo(most), label: String }),
    element('path', {
      d: closeTo(pathThrough(players), { from, to, y: UPPER.bottom }),
      fill: PLAYERS,
      'fill-opacity': 0.25,
    }),
    element('path', { d: pathThrough(players), fill: 'none', stroke: PLAYERS, 'stroke-width': 1.5 }),
    element('path', {
      d: pathThrough(through((sample) => sample.slots)),
      fill: 'none',
      stroke: SLOTS,
      'stroke-width': 1.5,
    }),
    ...clockAxis(UPPER, x, DAY_MS),
  ];
}

function servicesPanel(points: readonly MeanPoint[], x: Scale): string[] {
  const upTo =
    (layers: number) =>
    (point: MeanPoint): number =>
      LAYERS.slice(0, layers).reduce((sum, layer) => sum + point.of(layer.of), 0);
  const most = Math.max(...points.map(upTo(LAYERS.length)));
  const y = linear([0, most], [LOWER.bottom, LOWER.top]);
  const areas = LAYERS.map(({ fill }, i) => {
    const upper = points.map((point) => ({ x: x(point.at), y: y(upTo(i + 1)(point)) }));
    const lower = points.map((point) => ({ x: x(point.at), y: y(upTo(i)(point)) }));
    return element('path', { d: `${pathThrough([...upper, ...lower.reverse()])}Z`, fill });
  });
  const keys = LAYERS.map(({ words, fill }) => ({ words: `services ${words}`, swatch: { fill } }));
  return [
    ...legend({ x: 56, y: 300 }, keys, [140, 205]),
    ...valueAxis(LOWER, y, { ticks: ticksUpTo(most), label: String }),
    ...areas,
    ...clockAxis(LOWER, x, DAY_MS),
    note(
      { x: 56, y: 514 },
      `Simulated: ${PICTURED.peak} players at the peak, seed ${PICTURED.seed}; means of five minutes.`,
    ),
  ];
}

function describeDay(series: readonly Sample[]): string {
  const most = (value: (sample: Sample) => number): number => Math.max(...series.map(value));
  const services = most(({ services: { IN_USE, RUNNING } }) => IN_USE + RUNNING);
  return `Two charts over 24 hours. Above: players, up to ${most(({ players }) => players)}, and always somewhat above them the slots of services that can be joined, up to ${most(({ slots }) => slots)}. Below: services by state, up to ${services} running; most are in use, a thin layer is empty and ready, and few are starting or stopping.`;
}
