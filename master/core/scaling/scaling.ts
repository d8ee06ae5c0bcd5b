import { isPersistent } from '#shared/config/template.ts';
import { serviceIdOf } from '#shared/model/service.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { ActionOf } from '../action.ts';
import { fillLevel } from '../snapshot/fill-level.ts';
import type { SnapshotIndex, TemplateIndex } from '../snapshot/snapshot-index.ts';
import { whyTemplateWaits } from '../placement/choose-node.ts';
import { answers, playersOn, type TemplateSnapshot } from '../snapshot/snapshot.ts';
import { nextFreeNumbers } from '../volumes/numbering.ts';
import { ReplacementRoom } from './replacement-room.ts';
import { planStops } from './scale-down.ts';
import { whySavesDelay } from './save-wait.ts';
import {
  computeMissing,
  computeSpare,
  missingForCapacity,
  whyMissing,
  type Spare,
} from './desired-services.ts';
import type { Counts } from '../snapshot/counts.ts';

/** Requests and stops of one template that the rules of docs/scaling.md demand, before RAM is considered. */
export interface Scaling {
  readonly requests: readonly ActionOf<'request'>[];
  readonly stops: readonly ActionOf<'stop'>[];
  /**
   * Services that are needed but cannot be requested, or cannot be replaced, with the reason; null if there are none.
   */
  readonly unmet: Unmet | null;
  /**
   * Number of needed services that may be requested only once stopping services have exited, because of
   * `maximumOnlineServers`.
   */
  readonly soon: number;
  readonly settled: ScaledTemplate;
}

/** State of a template after a round's stops are counted. */
export interface ScaledTemplate {
  /** Counts of the services that remain, as the scaling rules count them while the rules drain a node. */
  readonly left: Counts;
  readonly spare: Spare;
}

/**
 * Maximum number of services of one template that wait for their start, so that the number of stored requests stays
 * limited. More services are requested as the waiting ones start.
 */
const MAX_WAITING = 1_000;

/**
 * Plans how many services of one template to request and which to stop
 * (docs/specification.md#template-configuration; docs/scaling.md).
 *
 * A service that is requested, prepared or started already counts as capacity, so that one event causes only the
 * starts it needs. Services that are in use, paused, or needed by a rule are never stopped here.
 *
 * Example: a minimum of 2 with lobby-1 IN_USE and lobby-2 RUNNING → requests one service.
 */
export function planScaling(
  template: TemplateSnapshot,
  index: SnapshotIndex,
  shared: ReplacementRoom,
): Scaling {
  const spare = computeSpare(template, index);
  // A paused template stops no services, so it takes no room from other templates.
  const room = template.held ? new ReplacementRoom(index) : shared;
  const round = planStops(template, index, { spare, room });
  const { stops, left } = round;
  const missing = computeMissing(template, left, spare);
  const awaited = Math.min(missing, countComingBack(template, index, stops.length));
  const count = missing - awaited;
  const settled = { left: round.leftForDrain, spare };
  // A deletion is final, so it takes precedence over a pause of the template.
  if (template.held && !template.leaving) {
    const unmet = missing === 0 ? null : heldBack(template, missing);
    return { requests: [], stops: [], unmet, soon: 0, settled };
  }
  const delayed = whyDelayed(template, index, stops.length > 0 ? null : room);
  if (count === 0) return { requests: [], stops, unmet: delayed, soon: awaited, settled };
  // A stopping service is still online until it has exited, so it counts towards the cap.
  const there = index.ofTemplate(template.id);
  const { services, active, requested } = there;
  const existing = services.length;
  const maximum = template.config.maximumOnlineServers;
  const allowed = maximum === -1 ? count : Math.min(count, Math.max(0, maximum - existing));
  const staying = active.length - stops.length;
  const now = Math.min(allowed, Math.max(0, MAX_WAITING - requested.length));
  const rule = whyMissing(template, left, spare);
  const cause = `${rule}${turnsOf(there, index)}`;
  return {
    requests: nextNumbers(template, index, now).map((number) => ({
      kind: 'request',
      service: serviceIdOf(template.id, number),
      template: template.id,
      cause,
    })),
    stops,
    unmet:
      (allowed < count
        ? whyCapped(template, index, {
            missing: count - allowed,
            allowed,
            existing,
            rule,
            serving: round.serving,
            spare,
            room,
          })
        : whyLater(template, allowed - now)) ?? delayed,
    soon: awaited + Math.max(0, Math.min(count, maximum - staying) - allowed),
    settled,
  };
}

/**
 * Returns the number of stopping services of a template with persistent paths. Each of them is requested again after
 * it has exited, because its replacement needs its data. Returns 0 for a template without persistent paths.
 *
 * @param stops number of stops in this round, which the snapshot does not contain yet
 */
function countComingBack({ id, config }: TemplateSnapshot, index: SnapshotIndex, stops: number): number {
  if (!isPersistent(config)) return 0;
  return stops + index.ofTemplate(id).services.filter(({ stopping }) => stopping).length;
}

function nextNumbers(
  { id, config, nextNumber }: TemplateSnapshot,
  index: SnapshotIndex,
  count: number,
): number[] {
  if (!isPersistent(config)) return Array.from({ length: count }, (_, i) => nextNumber + i);
  const { services } = index.ofTemplate(id);
  return nextFreeNumbers(id, { services, volumes: index.snapshot.volumes }, count);
}

/**
 * Explains that services cannot be replaced, because data cannot be saved, or because no node has room for a service
 * that has to stop before its replacement starts. No service is missing.
 *
 * @param room null if services of the template stop in this round, so that there is room for their replacements
 */
function whyDelayed(
  template: TemplateSnapshot,
  index: SnapshotIndex,
  room: ReplacementRoom | null,
): Unmet | null {
  const stopsFirst = isPersistent(template.config) && !template.leaving;
  const wait = whySavesDelay(template, index) ?? (stopsFirst ? (room?.whyNone(template) ?? null) : null);
  return wait === null ? null : { missing: 0, wait };
}

function heldBack({ id }: TemplateSnapshot, missing: number): Unmet {
  const message = `Automation of template ${id} is paused, so no rule starts its services. Resume automation, or start them by hand.`;
  return { missing, wait: { reason: 'HELD', message, until: null } };
}

/**
 * Returns a note for the activity log on how many services of a rolling restart are being replaced now. Empty if all
 * of them are being replaced, or if there is no rolling restart.
 */
function turnsOf({ retiring }: TemplateIndex, index: SnapshotIndex): string {
  if (retiring.length === 0) return '';
  const replaced = retiring.filter((one) => !one.draining);
  const inTurn = replaced.filter((one) => index.leaving(one) !== null).length;
  return inTurn === replaced.length
    ? ''
    : `; rolling restart: ${inTurn} of ${replaced.length} being replaced`;
}

interface Shortfall {
  /** Number of services that are needed but may not be requested. */
  readonly missing: number;
  /** Number of services that may be requested now, or as soon as services that are already requested have started. */
  readonly allowed: number;
  readonly existing: number;
  /** The rule that needs the services, with its numbers. */
  readonly rule: string;
  /** Counts of all services that are up or starting, leaving ones included. */
  readonly serving: Counts;
  readonly spare: Spare;
  readonly room: ReplacementRoom;
}

/**
 * Explains why `maximumOnlineServers` prevents more services. Returns null if the template lacks no service that
 * players need:
 *
 * - A service that is being replaced is not missing while others can accept its players.
 * - An empty spare service is not missing while the other services have room for players, because the maximum leaves
 *   no room for it.
 */
function whyCapped(template: TemplateSnapshot, index: SnapshotIndex, shortfall: Shortfall): Unmet | null {
  const { allowed, existing, rule, serving, spare } = shortfall;
  const lacking = Math.max(0, computeMissing(template, serving, spare) - allowed);
  const isOnlySpare = missingForCapacity(template, serving) <= allowed && serving.answering >= spare.count;
  if (lacking === 0 || (isOnlySpare && hasRoom(template, index))) {
    const isReplacing = index.ofTemplate(template.id).leaving.length > 0;
    const blocked = isReplacing ? whyTemplateWaits(template, index.snapshot.now) : null;
    const wait = blocked ?? whyLostCount(template, index) ?? shortfall.room.whyNone(template);
    return wait === null ? null : { missing: shortfall.missing, wait };
  }
  const missing = Math.min(lacking, shortfall.missing);
  const { id, config } = template;
  const message = `Template ${id} has ${existing} of at most ${config.maximumOnlineServers} (maximumOnlineServers), and the rules require ${missing} more (${rule}). Raise the maximum, or wait until one stops.`;
  return { missing, wait: { reason: 'CAP_REACHED', message, until: null } };
}

/** Reports whether the joinable services together can take more players before they reach their fill levels. */
function hasRoom({ id, config }: TemplateSnapshot, index: SnapshotIndex): boolean {
  const joinable = index
    .ofTemplate(id)
    .active.filter((one) => answers(one) && !one.draining && index.leaving(one) !== 'lost');
  const capacity = joinable.reduce((sum, one) => sum + fillLevel(config, one.maxPlayers) - playersOn(one), 0);
  return capacity > 0;
}

/**
 * Explains that services on lost nodes count towards `maximumOnlineServers` until these nodes are removed, which a
 * person may delay for a long time. Returns null if there are no such services.
 */
function whyLostCount({ id, config }: TemplateSnapshot, index: SnapshotIndex): Wait | null {
  const { services } = index.ofTemplate(id);
  const lost = services.filter((one) => index.leaving(one) === 'lost').length;
  if (lost === 0) return null;
  const where = lost === 1 ? 'a lost node' : 'lost nodes';
  const message = `Template ${id} has ${services.length} of at most ${config.maximumOnlineServers} (maximumOnlineServers), ${lost} of them on ${where}, so there is no room for replacements. Raise the maximum, or wait until ${lost === 1 ? 'that node is' : 'these nodes are'} reachable or released.`;
  return { reason: 'CAP_REACHED', message, until: null };
}

function whyLater({ id }: TemplateSnapshot, missing: number): Unmet | null {
  if (missing === 0) return null;
  const message = `${MAX_WAITING} services of template ${id} are waiting to start. More are requested as these start.`;
  return { missing, wait: { reason: 'START_BUDGET', message, until: null } };
}
