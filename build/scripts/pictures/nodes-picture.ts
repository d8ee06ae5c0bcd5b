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
import { PICTURED, type NodeEvent, type RamMoment, type SimulatedDay } from './simulated-day.ts';
import { closeTo, document, element, INK, line, stepPath, text } from './svg.ts';

const DAY_MS = 24 * HOUR_MS;
const MB_PER_GB = 1024;
const FRAME: Frame = { left: 72, right: 830, top: 84, bottom: 304 };

const ALLOCATED = '#2563eb';
const TOTAL = '#1f2328';
const LEAVING = '#c9ced6';
const THRESHOLD = '#b42318';

const ROWS: readonly { readonly kind: NodeEvent['kind']; readonly words: string; readonly stroke: string }[] =
  [
    { kind: 'order', words: 'ordered', stroke: '#b42318' },
    { kind: 'drain', words: 'drained', stroke: '#59636e' },
    { kind: 'resume', words: 'resumed', stroke: '#9a6700' },
    { kind: 'release', words: 'released', stroke: '#0f766e' },
  ];
const ROW_PX = 20;

/** Returns the picture of a day of nodes: allocated and available RAM, and when nodes start and are released. */
export function nodesPicture({ ram, events }: SimulatedDay): string {
  const x = linear([0, DAY_MS], [FRAME.left, FRAME.right]);
  const axisBottom = FRAME.bottom + ROWS.length * ROW_PX + 8;
  return document({
    width: 860,
    height: 464,
    title: 'The same day: RAM of the nodes, and when nodes are ordered and released',
    description: describeNodes(ram, events),
    body: [
      ...ramPanel(fromOpening(ram), x),
      ...ROWS.flatMap(({ kind, words, stroke }, i) => {
        const top = FRAME.bottom + 8 + i * ROW_PX;
        const mine = events.filter((event) => event.kind === kind && event.at >= 0);
        return [
          line({ x: FRAME.left, y: top + ROW_PX }, { x: FRAME.right, y: top + ROW_PX }, { stroke: INK.grid }),
          text({ x: FRAME.left - 4, y: top + 14 }, words, {
            'text-anchor': 'end',
            'font-size': 10,
            fill: stroke,
          }),
          ...mine.map(({ at }) =>
            line({ x: x(at), y: top + 4 }, { x: x(at), y: top + 16 }, { stroke, 'stroke-width': 3 }),
          ),
        ];
      }),
      ...clockAxis({ ...FRAME, bottom: axisBottom }, x, DAY_MS),
      note(
        { x: FRAME.left, y: 438 },
        `Nodes of 7,168 MB; before the doors open at 04:00, ${countOf(events, 'order', (at) => at < 0)} are ordered. An order comes when blue reaches the red line,`,
      ),
      note(
        { x: FRAME.left, y: 454 },
        'or when a service fits on no single node although there is RAM left on all of them together.',
      ),
    ],
  });
}

function ramPanel(ram: readonly RamMoment[], x: Scale): string[] {
  const gb = (mb: number): number => mb / MB_PER_GB;
  const most = Math.max(...ram.map(({ countedMb, leavingMb }) => gb(countedMb + leavingMb)));
  const y = linear([0, most], [FRAME.bottom, FRAME.top]);
  const steps = (value: (moment: RamMoment) => number): string =>
    stepPath(
      ram.map((moment) => ({ x: x(moment.at), y: y(gb(value(moment))) })),
      FRAME.right,
    );
  const area = (d: string): string => closeTo(d, { from: FRAME.left, to: FRAME.right, y: FRAME.bottom });
  const threshold = PICTURED.upscaling / 100;
  return [
    ...legend(
      { x: FRAME.left, y: 60 },
      [
        { words: 'taken by services', swatch: { fill: ALLOCATED, 'fill-opacity': 0.45 } },
        { words: 'of all nodes that take services', swatch: { y: 55, height: 2, fill: TOTAL } },
        { words: `${PICTURED.upscaling} % of that: order`, swatch: { y: 55, height: 2, fill: THRESHOLD } },
        { words: 'of draining nodes', swatch: { fill: LEAVING } },
      ],
      [150, 230, 165],
    ),
    element('path', { d: area(steps(({ countedMb, leavingMb }) => countedMb + leavingMb)), fill: LEAVING }),
    element('path', { d: area(steps(({ countedMb }) => countedMb)), fill: INK.card }),
    ...valueAxis(FRAME, y, { ticks: ticksUpTo(most), label: (value) => `${value} GB` }),
    element('path', {
      d: area(steps(({ allocatedMb }) => allocatedMb)),
      fill: ALLOCATED,
      'fill-opacity': 0.45,
    }),
    element('path', {
      d: steps(({ countedMb }) => countedMb),
      fill: 'none',
      stroke: TOTAL,
      'stroke-width': 1.5,
    }),
    element('path', {
      d: steps(({ countedMb }) => countedMb * threshold),
      fill: 'none',
      stroke: THRESHOLD,
      'stroke-dasharray': '5 3',
    }),
  ];
}

/** Returns the values at the start of the day and all later changes. */
function fromOpening(ram: readonly RamMoment[]): RamMoment[] {
  const before = ram.filter(({ at }) => at <= 0).at(-1);
  const after = ram.filter(({ at }) => at > 0 && at <= DAY_MS);
  return before === undefined ? after : [{ ...before, at: 0 }, ...after];
}

function countOf(
  events: readonly NodeEvent[],
  kind: NodeEvent['kind'],
  when: (at: number) => boolean,
): number {
  return events.filter((event) => event.kind === kind && when(event.at)).length;
}

function describeNodes(ram: readonly RamMoment[], events: readonly NodeEvent[]): string {
  const count = (kind: NodeEvent['kind']): number => countOf(events, kind, () => true);
  const most = Math.max(...ram.map(({ countedMb }) => countedMb)) / MB_PER_GB;
  return `RAM over 24 hours. What services take rises and falls with the players; the RAM of all nodes, up to ${most} GB, goes up and down around it in steps of 7 GB. Whenever the taken part would reach ${PICTURED.upscaling} percent, a node is ordered. In all ${count('order')} nodes were ordered; nodes were drained ${count('drain')} times, resumed ${count('resume')} times and released ${count('release')} times.`;
}
