import fc from 'fast-check';
import { describe } from 'vitest';
import { isReady, isUp, type ServiceSnapshot, type Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';
import { oneIn } from '#test/support/worlds/chance.ts';
import { keep, type Promised } from '#test/support/worlds/check.ts';
import { Clockwork, USUAL_DURATIONS, type Tick } from '#test/support/worlds/clockwork.ts';
import { lookAt } from '#test/support/worlds/look.ts';
import { servicePromises } from '#test/support/worlds/invariants/services.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { LONG_WORLDS } from '#test/support/worlds/world.ts';

const SECOND = 1_000;

/** Maximum number of services. It is so large that a quarter of the services is more than one service. */
const MOST_SERVICES = 60;

/**
 * Maximum duration of a rolling restart. It is enough for a dozen batches of a start and a stop each, and for
 * services that are replaced one by one at the cap.
 */
const LONGEST_MS = MOST_SERVICES * 90 * SECOND;

/** Number of rounds without actions after which no further action is expected. */
const QUIET_ROUNDS = 15;

interface Story {
  readonly start: Snapshot;
  readonly ticks: readonly Tick[];
  readonly end: Snapshot;
  /** Highest number of services in the same network without a rolling restart. */
  readonly twinPeak: number;
}

/**
 * A template with many services. Some or all of the services are to be replaced, some do not answer, and some are
 * lost. There is enough room.
 */
const crowds: fc.Arbitrary<Snapshot> = fc
  .record({
    services: fc.array(
      fc.record({
        inUse: fc.boolean(),
        players: fc.integer({ min: 1, max: 10 }),
        old: fc.nat({ max: 3 }),
        unresponsive: oneIn(8),
      }),
      { minLength: 1, maxLength: MOST_SERVICES },
    ),
    minimum: fc.integer({ min: 0, max: MOST_SERVICES / 2 }),
    threshold: fc.oneof(fc.constant(0), fc.integer({ min: 30, max: 100 })),
    room: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 4 }) }),
    killAfter: fc.constantFrom(-1, 0, 120_000),
    lost: fc.oneof(fc.constant(0), fc.nat({ max: MOST_SERVICES })),
  })
  .map(({ services, minimum, threshold, room, killAfter, lost }) =>
    aSnapshot({
      templates: [
        aTemplate('t', {
          minimumRunningServers: minimum,
          maximumOnlineServers: room === null ? -1 : services.length + room,
          startNewServiceAtTemplateCapacity: threshold,
          killUnusedTooManyServersAfter: killAfter,
        }),
      ],
      services: services.map(({ inUse, players, old, unresponsive }, i) =>
        aService(`t-${i + 1}`, {
          retiring: old > 0,
          unresponsive,
          ...(i < lost ? { node: 'lost' } : {}),
          ...(inUse ? { state: 'IN_USE', players } : {}),
        }),
      ),
      nodes: [
        aNode({ ramMb: 1_000_000, startBudget: 1_000, locked: true }),
        aNode({ id: 'lost', state: 'LOST' }),
      ],
      upscalingAtPercent: 100,
    }),
  );

/** Keeps all players until no action is left, then lets all of them leave. */
function follow(start: Snapshot): Pick<Story, 'ticks' | 'end'> {
  const network = new Clockwork(start, USUAL_DURATIONS);
  const ticks = untilQuiet(network);
  const { snapshot } = network;
  network.snapshot = { ...snapshot, services: snapshot.services.map((one) => left(one, snapshot.now)) };
  return { ticks: [...ticks, ...untilQuiet(network)], end: network.snapshot };
}

function left(service: ServiceSnapshot, now: number): ServiceSnapshot {
  return service.state === 'IN_USE'
    ? { ...service, state: 'RUNNING', players: 0, unusedSince: now }
    : service;
}

function untilQuiet(network: Clockwork): Tick[] {
  const ticks: Tick[] = [];
  const until = network.snapshot.now + LONGEST_MS;
  let quiet = 0;
  while (network.snapshot.now < until && quiet < QUIET_ROUNDS) {
    const tick = network.step(10 * SECOND);
    ticks.push(tick);
    quiet = tick.planned.actions.length === 0 ? quiet + 1 : 0;
  }
  return ticks;
}

const stories: fc.Arbitrary<Story> = crowds.map((start) => {
  const twin = { ...start, services: start.services.map((one) => ({ ...one, retiring: false })) };
  return { start, ...follow(start), twinPeak: peakOf(follow(twin).ticks) };
});

const promises: readonly Promised<Story>[] = [
  {
    says: 'needs at most 25 % more services than usual, or one more service if 25 % is less than one',
    breaches: ({ ticks, twinPeak }) => {
      const peak = peakOf(ticks);
      const most = twinPeak + Math.max(1, Math.floor(twinPeak / 4));
      return peak > most ? [`${peak} > ${most}`] : [];
    },
  },
  {
    says: 'keeps the minimum number of services ready, or one fewer if the maximum allows no more',
    breaches: ({ start, ticks }) => {
      const { minimumRunningServers: minimum, maximumOnlineServers: cap } = configOf(start);
      const promised = Math.min(minimum, readyIn(start));
      return ticks.flatMap(({ snapshot }) => {
        const least = promised - (cap !== -1 && snapshot.services.length >= cap - 1 ? 1 : 0);
        return readyIn(snapshot) < least ? [`${readyIn(snapshot)} < ${least} ${after(start, snapshot)}`] : [];
      });
    },
  },
  {
    says: 'keeps the load below the threshold if the load starts below it and the template has no maximum',
    breaches: ({ start, ticks }) => {
      const { maximumOnlineServers: cap } = configOf(start);
      if (cap !== -1 || isFull(start, start)) return [];
      return ticks.flatMap(({ snapshot }) => (isFull(snapshot, start) ? [after(start, snapshot)] : []));
    },
  },
  {
    says: 'requests no service that it stops again while no player leaves',
    breaches: ({ ticks }) => {
      const playing = ticks.filter(({ snapshot }) =>
        snapshot.services.some(({ state }) => state === 'IN_USE'),
      );
      const actions = playing.flatMap(({ planned }) => planned.actions);
      const requested = new Set(actions.flatMap((one) => (one.kind === 'request' ? [one.service] : [])));
      return actions.flatMap((one) =>
        one.kind === 'stop' && requested.has(one.service) ? [one.service] : [],
      );
    },
  },
  {
    says: 'replaces all services once all players have left, or reports that lost services use up the maximum',
    breaches: ({ ticks, end }) => {
      const left = reached(end).flatMap(({ id, retiring }) => (retiring ? [id] : []));
      const isLost = reached(end).length < end.services.length;
      const why = ticks.at(-1)?.planned.unmet.get('t')?.wait.reason;
      return isLost && why === 'CAP_REACHED' ? [] : left;
    },
  },
];

/** The guarantees of every plan, checked here with many services. */
const allTheWay: readonly Promised<Story>[] = servicePromises.map(({ says, breaches }) => ({
  says: `a plan ${says}`,
  breaches: ({ ticks }) => ticks.flatMap(({ snapshot, planned }) => breaches(lookAt(snapshot, planned))),
}));

describe('a rolling restart of many services', () => {
  keep([...promises, ...allTheWay], { of: stories, numRuns: LONG_WORLDS * 2, inWords: storyInWords });
});

/** Returns the highest number of services that are not stopping. */
function peakOf(ticks: readonly Tick[]): number {
  const counts = ticks.map(({ snapshot }) => snapshot.services.filter(({ stopping }) => !stopping).length);
  return Math.max(...counts);
}

function configOf({ templates }: Snapshot) {
  const [template] = templates;
  if (template === undefined) throw new Error('a crowd is of one template, and none is left');
  return template.config;
}

/** Returns the services that are not on the lost node. The lost node has no players and accepts no actions. */
function reached({ services }: Snapshot): readonly ServiceSnapshot[] {
  return services.filter(({ node }) => node !== 'lost');
}

function readyIn(snapshot: Snapshot): number {
  return reached(snapshot).filter(isReady).length;
}

/**
 * Whether the service is empty and does not answer. A rolling restart may stop it without waiting for a
 * replacement.
 */
function isNoLoss({ state, unresponsive }: ServiceSnapshot): boolean {
  return state === 'RUNNING' && unresponsive;
}

/**
 * Reports whether the utilisation has reached the threshold of the specification. Utilisation is players ÷ slots of
 * services that are up. Services that are empty and do not answer are special:
 * - If the service is to be replaced, its slots do not count, because the service stops at once.
 * - Otherwise, the rules count its slots until they stop the service as superfluous, with or without a rolling
 *   restart. So these slots are always counted as at the start.
 */
function isFull(snapshot: Snapshot, start: Snapshot): boolean {
  const { startNewServiceAtTemplateCapacity: threshold } = configOf(snapshot);
  const players = reached(snapshot).reduce((sum, one) => sum + one.players, 0);
  const up = reached(snapshot).filter((one) => isUp(one) && !one.stopping && !isNoLoss(one));
  const counted = [...up, ...reached(start).filter((one) => isNoLoss(one) && !one.retiring)];
  const slots = counted.reduce((sum, one) => sum + one.maxPlayers, 0);
  return threshold > 0 && players > 0 && players * 100 >= threshold * slots;
}

function after(start: Snapshot, { now }: Snapshot): string {
  return `after ${(now - start.now) / SECOND} s`;
}

function storyInWords({ start, ticks, end, twinPeak }: Story): string {
  const nothing = { waiting: new Map(), unmet: new Map(), kept: new Map() };
  const busy = ticks.filter(({ planned }) => planned.actions.length > 0);
  const lines = busy.map(
    ({ snapshot, planned }) => `${after(start, snapshot)}: ${planInWords({ ...planned, ...nothing })}`,
  );
  return [worldInWords(start), `without: at most ${twinPeak}`, ...lines.slice(0, 30), worldInWords(end)].join(
    '\n',
  );
}
