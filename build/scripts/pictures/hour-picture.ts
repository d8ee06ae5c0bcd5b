import { RELEASE } from '#master/core/fleet/release-window.ts';
import { HOUR_MS, legend, linear, note, ticksUpTo, valueAxis, type Frame, type Scale } from './plot.ts';
import type { NodeEvent, NodeMoment, SimulatedDay } from './simulated-day.ts';
import { closeTo, document, element, INK, line, stepPath, text } from './svg.ts';
import { eventfulTenancy, type Tenancy } from './tenancy.ts';

const MINUTE_MS = 60_000;
const FRAME: Frame = { left: 56, right: 830, top: 118, bottom: 238 };
/**
 * Upper edges of the two rows of bars (px): the times when the node may be drained, and the times when it may be
 * released.
 */
const ROWS = { mayEmpty: 268, mayGive: 284 };
const ROW_PX = 10;

const IN_USE = '#2563eb';
const OTHERS = '#7dd3c0';
const MAY_EMPTY = '#9aa4b0';
const MAY_GIVE = '#0f766e';

const DONE: Readonly<Record<NodeEvent['kind'], string>> = {
  order: 'ordered',
  drain: 'drained',
  resume: 'resumed',
  release: 'released',
};

/**
 * Returns the picture of the paid hours of one node: the services on the node, and the times at which the node may be
 * drained and released.
 */
export function hourPicture(day: SimulatedDay): string {
  const tenancy = eventfulTenancy(day);
  const { node, paidHours } = tenancy;
  const x = linear([0, paidHours * HOUR_MS], [FRAME.left, FRAME.right]);
  return document({
    width: 860,
    height: 366,
    title: `${node} of the same day, and the ${paidHours} hours that are paid for it`,
    description: describe(tenancy),
    body: [
      ...legend(
        { x: FRAME.left, y: 60 },
        [
          { words: 'services in use', swatch: { fill: IN_USE } },
          { words: 'other services on it', swatch: { fill: OTHERS } },
          { words: 'may be drained', swatch: { fill: MAY_EMPTY } },
          { words: 'may be released', swatch: { fill: MAY_GIVE } },
        ],
        [140, 165, 145],
      ),
      ...servicesPanel(tenancy, x),
      ...windows(paidHours, x),
      ...eventMarks(tenancy, x),
      ...hourAxis(paidHours, x),
      note(
        { x: FRAME.left, y: 326 },
        `Hours since the order. A node is paid for to the end of the hour, used or not, so it is released in the last ${RELEASE.fromMs / MINUTE_MS}`,
      ),
      note(
        { x: FRAME.left, y: 344 },
        `minutes, and can be used again at once until then. The last ${RELEASE.untilMs / 1000} s are left out, as the deletion might come too late.`,
      ),
    ],
  });
}

function servicesPanel({ moments, orderedAt }: Tenancy, x: Scale): string[] {
  const most = Math.max(...moments.map(({ inUse, empty }) => inUse + empty));
  const y = linear([0, most], [FRAME.bottom, FRAME.top]);
  const untilX = x((moments.at(-1)?.at ?? orderedAt) - orderedAt);
  const area = (value: (moment: NodeMoment) => number, fill: string): string => {
    const points = moments.map((moment) => ({ x: x(moment.at - orderedAt), y: y(value(moment)) }));
    const base = { from: FRAME.left, to: untilX, y: FRAME.bottom };
    return element('path', { d: closeTo(stepPath(points, untilX), base), fill });
  };
  return [
    ...valueAxis(FRAME, y, { ticks: ticksUpTo(most), label: String }),
    area(({ inUse, empty }) => inUse + empty, OTHERS),
    area(({ inUse }) => inUse, IN_USE),
  ];
}

function hourAxis(paidHours: number, x: Scale): string[] {
  return Array.from({ length: paidHours + 1 }, (_, hour) => hour).flatMap((hour) => {
    const at = x(hour * HOUR_MS);
    const dashes = { stroke: INK.muted, 'stroke-dasharray': '2 3' };
    return [
      line({ x: at, y: FRAME.top }, { x: at, y: FRAME.bottom + 6 }, dashes),
      text({ x: at, y: FRAME.bottom + 19 }, `${hour} h`, {
        'text-anchor': 'middle',
        fill: INK.muted,
        // Keeps the text readable where an event's line crosses it.
        stroke: INK.card,
        'stroke-width': 4,
        'paint-order': 'stroke',
      }),
    ];
  });
}

/**
 * Draws two bars in each paid hour. The first shows when a node that is not needed may be drained. The second shows
 * when an empty node may be released.
 */
function windows(paidHours: number, x: Scale): string[] {
  return Array.from({ length: paidHours }, (_, i) => (i + 1) * HOUR_MS).flatMap((end) => {
    const bar = (beforeMs: number, y: number, fill: string): string => {
      const [from, to] = [x(end - beforeMs), x(end - RELEASE.untilMs)];
      return element('rect', { x: from, y, width: to - from, height: ROW_PX, rx: 2, fill });
    };
    return [bar(RELEASE.drainFromMs, ROWS.mayEmpty, MAY_EMPTY), bar(RELEASE.fromMs, ROWS.mayGive, MAY_GIVE)];
  });
}

function eventMarks({ events, orderedAt }: Tenancy, x: Scale): string[] {
  return events.flatMap(({ at, kind }, i) => {
    const foot = x(at - orderedAt);
    const top = i % 2 === 0 ? 84 : 100;
    return [
      line({ x: foot, y: top + 4 }, { x: foot, y: ROWS.mayGive + ROW_PX }, { stroke: INK.text }),
      text({ x: foot, y: top }, `${DONE[kind]} ${clock(at - orderedAt)}`, {
        'text-anchor': kind === 'order' || kind === 'resume' ? 'start' : 'end',
      }),
    ];
  });
}

/** Returns a duration (ms) as hours and minutes. Example: `5:57`. */
function clock(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

function describe({ node, events, orderedAt, paidHours }: Tenancy): string {
  const steps = events.map(({ at, kind }) => `${DONE[kind]} at ${clock(at - orderedAt)}`).join(', ');
  return `Services on ${node} during the ${paidHours} hours that are paid for it. Hours and minutes since the order: ${steps}. Two rows of bars show in which part of each hour a node may be drained (all but its first ${(HOUR_MS - RELEASE.drainFromMs) / MINUTE_MS} minutes) and released (the last ${RELEASE.fromMs / MINUTE_MS} minutes).`;
}
