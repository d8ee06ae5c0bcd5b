import fc from 'fast-check';
import { describe } from 'vitest';
import {
  isReady,
  type NodeSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { aNode } from '#test/support/master/snapshots.ts';
import { keep, type Promised } from '#test/support/worlds/check.ts';
import { Clockwork, USUAL_DURATIONS, type Tick } from '#test/support/worlds/clockwork.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { calmWorld, LONG_WORLDS } from '#test/support/worlds/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * Maximum duration of a rolling restart. It is enough for a few dozen services that are replaced one by one at the
 * cap, in less than two minutes each.
 */
const LONGEST = 90 * MINUTE;

const roomy: NodeSnapshot = aNode({ id: 'roomy', ramMb: 1_000_000, startBudget: 1_000, locked: true });

/** What a person requests for running services. */
interface Order {
  /** Which services are to be replaced: all, every second one, or none. */
  readonly retire: 'all' | 'half' | 'none';
  readonly deleted: boolean;
  readonly released: boolean;
}

const orders: fc.Arbitrary<Order> = fc.record<Order>({
  retire: fc.constantFrom('all', 'half', 'none'),
  deleted: fc.boolean(),
  released: fc.boolean(),
});

interface Story {
  readonly start: Snapshot;
  readonly ticks: readonly Tick[];
  readonly end: Snapshot;
}

function asked(snapshot: Snapshot, { retire, deleted, released }: Order): Snapshot {
  const [first] = snapshot.templates;
  const isRetired = (i: number): boolean => retire === 'all' || (retire === 'half' && i % 2 === 0);
  return {
    ...snapshot,
    services: snapshot.services.map((one, i) => ({ ...one, retiring: one.node !== null && isRetired(i) })),
    templates: snapshot.templates.map((one) => ({ ...one, leaving: deleted && one.id === first?.id })),
    nodes: [
      ...snapshot.nodes.map((one) =>
        // All other nodes are protected, because releases that save money would disturb this test.
        released && one.rental !== null
          ? { ...one, state: 'DRAINING' as const, leaving: true }
          : { ...one, locked: true },
      ),
      roomy,
    ],
  };
}

/**
 * Generates stories in which no player joins or leaves. All requests are made at the beginning, and there is enough
 * room.
 *
 * @param durations how long a story lasts, and after how long newly started services crash (ms)
 */
function storiesOf({ lastMs, crashMs }: { readonly lastMs: number; readonly crashMs?: number }) {
  const stepMs = fc.integer({ min: 5 * SECOND, max: 20 * SECOND });
  return fc.record({ calm: calmWorld, order: orders, stepMs }).map(({ calm, order, stepMs }): Story => {
    const start = asked({ ...calm, upscalingAtPercent: 100, market: null }, order);
    const network = new Clockwork(start, {
      ...USUAL_DURATIONS,
      ...(crashMs === undefined ? {} : { crashMs }),
    });
    const ticks: Tick[] = [];
    let quiet = 0;
    while (network.snapshot.now < start.now + lastMs && quiet < 15) {
      const tick = network.step(stepMs);
      ticks.push(tick);
      quiet = tick.planned.actions.length === 0 ? quiet + 1 : 0;
    }
    return { start, ticks, end: network.snapshot };
  });
}

const keepsMinimum: Promised<Story> = {
  says: 'keep the minimum number of services ready, or one fewer if the maximum allows no more',
  breaches: ({ start, ticks }) =>
    start.templates
      .filter((template) => !template.leaving && !isOverCap(template, start))
      .flatMap((template) => {
        const { minimumRunningServers: minimum, maximumOnlineServers: cap } = template.config;
        const promised = Math.min(minimum, readyOf(template, start));
        return ticks.flatMap(({ snapshot }) => {
          const existing = snapshot.services.filter((one) => one.template === template.id).length;
          const least = promised - (cap !== -1 && existing >= cap - 1 ? 1 : 0);
          const ready = readyOf(template, snapshot);
          const afterS = (snapshot.now - start.now) / SECOND;
          return ready < least ? [`${template.id}: ${ready} < ${least} after ${afterS} s`] : [];
        });
      }),
};

const promises: readonly Promised<Story>[] = [
  {
    says: 'end with all unused services replaced',
    breaches: ({ end }) =>
      end.services.filter(({ retiring, state }) => retiring && state !== 'IN_USE').map(({ id }) => id),
  },
  {
    says: 'end with all requested deletions of templates complete, unless players are on their services',
    breaches: ({ end }) =>
      end.templates
        .filter(({ leaving }) => leaving)
        .flatMap(({ id }) => {
          const left = end.services.filter(({ template }) => template === id);
          if (left.length === 0) return [`${id} is still there`];
          return left.filter(({ state }) => state !== 'IN_USE').map((one) => `${one.id} ${one.state}`);
        }),
  },
  {
    says: 'end with all requested releases of nodes complete, unless players are on the nodes',
    breaches: ({ end }) =>
      end.nodes
        .filter(({ leaving }) => leaving)
        .filter(({ id }) => !end.services.some(({ node, state }) => node === id && state === 'IN_USE'))
        .map(({ id, state }) => `${id} ${state}`),
  },
  keepsMinimum,
  {
    says: 'request no service that they later stop',
    breaches: ({ ticks }) => {
      const actions = ticks.flatMap(({ planned }) => planned.actions);
      const requested = new Set(actions.flatMap((one) => (one.kind === 'request' ? [one.service] : [])));
      return actions.flatMap((one) =>
        one.kind === 'stop' && requested.has(one.service) ? [one.service] : [],
      );
    },
  },
];

describe('rolling restarts, deletions and releases that people request while no player leaves', () => {
  keep(promises, { of: storiesOf({ lastMs: LONGEST }), numRuns: LONG_WORLDS * 4, inWords: storyInWords });
});

describe('rolling restarts to a version that crashes shortly after it is up', () => {
  const of = storiesOf({ lastMs: 5 * MINUTE, crashMs: 10 * SECOND });
  keep([keepsMinimum], { of, numRuns: LONG_WORLDS * 4, inWords: storyInWords });
});

function readyOf({ id }: TemplateSnapshot, { services }: Snapshot): number {
  return services.filter((one) => one.template === id && isReady(one)).length;
}

function isOverCap(
  { id, config: { maximumOnlineServers: cap } }: TemplateSnapshot,
  start: Snapshot,
): boolean {
  return cap !== -1 && start.services.filter(({ template }) => template === id).length > cap;
}

function storyInWords({ start, ticks, end }: Story): string {
  const nothing = { waiting: new Map(), unmet: new Map(), kept: new Map() };
  const busy = ticks.filter(({ planned }) => planned.actions.length > 0);
  const lines = busy.map(
    ({ snapshot, planned }) =>
      `after ${(snapshot.now - start.now) / SECOND} s: ${planInWords({ ...planned, ...nothing })}`,
  );
  return [worldInWords(start), ...lines.slice(0, 30), 'in the end', worldInWords(end)].join('\n');
}
