import { z } from 'zod';
import { templateIdSchema } from '#shared/model/template.ts';
import { failureSchema, serviceIdSchema, type ServiceState } from '#shared/model/service.ts';
import type { Plugin } from '#shared/model/player.ts';
import type { Wait } from '#shared/model/wait.ts';
import { fromKeptStart, keptStartSchema, type StartedFrom } from './started-from.ts';
import type { TimeLimits } from './time-limits.ts';

/**
 * The part of a record that must survive a restart: what was requested, where it was placed, whether it is
 * stopping.
 */
export const keptSchema = z.object({
  id: serviceIdSchema,
  template: templateIdSchema,
  requestedAt: z.int(),
  cause: z.string(),
  /** Whether a person requested the service. */
  manual: z.boolean(),
  /**
   * Whether a `manual` service has been up. The request of the person is then fulfilled, so a pause of the template
   * also applies to the service. Missing in records of older masters.
   */
  wasUp: z.boolean().default(false),
  /**
   * Node on which the service is placed. It is stored before anything happens on the node, so that the master knows
   * the service's node after a crash.
   */
  node: z.string().nullable(),
  /**
   * Last node of a service that has no node now. Only that node may still run the service. Null if a person has given
   * up the data on that node.
   */
  wasOn: z.string().nullable().default(null),
  stopping: z.object({ since: z.int(), cause: z.string() }).nullable(),
  failure: failureSchema.nullable(),
  /** Whether a person paused automation of the service. Missing in records of older masters. */
  held: z.boolean().default(false),
  /**
   * Whether a person is restarting the service: it stops and starts again under its id. True until it is up again.
   */
  restarting: z.boolean().default(false),
  /** Set while the service is being replaced. The service stops once its replacement is ready. */
  retiring: z.object({ since: z.int(), cause: z.string() }).nullable().default(null),
  /** Set while a person drains the service; see `drains.ts`. */
  draining: z
    .object({ since: z.int(), cause: z.string(), until: z.int().nullable() })
    .nullable()
    .default(null),
  /**
   * State and times of the service's current process, as of the last time it was observed up. Saved from time to
   * time, for the next master.
   */
  lastUp: z
    .object({
      startedAt: z.int(),
      state: z.enum(['RUNNING', 'IN_USE']),
      since: z.int(),
      unusedSince: z.int().nullable(),
      // Missing in records of older masters.
      upAt: z.int().optional(),
    })
    .nullable()
    .default(null),
  /**
   * Where the service's process was last observed, and from what it was started. A master that has not reached the
   * node yet uses this data, so that players still reach the service. Null if unknown, as in records of older
   * masters.
   */
  address: z.object({ host: z.string(), port: z.int() }).nullable().default(null),
  placed: keptStartSchema.nullable().default(null),
  /**
   * Time limits of the template when the process was last observed running. They apply if the template no longer
   * exists. Null if the process was not observed, or in records of older masters.
   */
  timeLimits: z.object({ startTimeoutMs: z.number(), stopGraceMs: z.number() }).nullable().default(null),
  /** Stored for a service that {@link isFailed}, so that the next master does not report its exit again. */
  hasEnded: z.boolean().default(false),
});
export type Kept = z.infer<typeof keptSchema>;

/** How a master has watched the start of a process, from round to round. */
export interface StartWatch {
  /** When the master last observed the start (ms since epoch). */
  readonly at: number;
  /** How long the master has watched the start (ms). */
  readonly tookMs: number;
  /** Since when the master has watched the start without an interruption (ms since epoch). */
  readonly unbrokenSince: number;
}

/** State of a service's current process, or of its wait for a process. Reset for each start. */
interface Attempt {
  waiting: Wait | null;
  /**
   * Revision, values and setup from which the service was started. Null if it is not placed on a node. Until this
   * master observes the service, this value and the address are those that an earlier master stored.
   */
  placed: StartedFrom | null;
  address: { readonly host: string; readonly port: number } | null;
  pid: number | null;
  startedAt: number | null;
  /**
   * When this master first observed the process running or its node unreachable. Null if this master started the
   * process.
   */
  adoptedAt: number | null;
  /** How this master has watched the start of the process. Null until it has observed the process starting. */
  startWatch: StartWatch | null;
  /** When the process first came up; null if it never has. Continues over restarts of the master. */
  upAt: number | null;
  /** Time limits of the template when the process was last observed running. Null if it was not observed. */
  timeLimits: TimeLimits | null;
  players: { readonly online: number; readonly max: number };
  /** Why a plugin on the service declares the service in use, regardless of players. Null if no plugin does. */
  declaredInUse: string | null;
  /** Overworld's plugin on the service; null until it has connected. */
  plugin: Plugin | null;
  unusedSince: number | null;
  /** Since when the service has not answered pings, after it had answered before. Null if it answers. */
  silentSince: number | null;
  unresponsive: boolean;
  /** Whether a service that answers no status pings is known to have started. */
  startSeen: boolean;
  /** Number of the log line up to which the log was searched for a sign of the start. Null if it was not searched. */
  logReadTo: number | null;
  /**
   * Whether the process has exited, but its files are still on its node, for example because its data cannot be saved.
   * Until they are removed, the service keeps its node.
   */
  hasEnded: boolean;
}

/** Everything that the master stores about a service: the stored part of its record, and the last observation. */
export interface ServiceRecord extends Omit<Kept, keyof Attempt>, Attempt {
  state: ServiceState;
  since: number;
  /** Last log lines of the last failed attempt. */
  failureLog: readonly string[];
}

/** The fields that a new record needs. All others start empty. */
export type NewRecord = Pick<Kept, 'id' | 'template' | 'requestedAt' | 'cause' | 'manual'>;

/** Returns the record of a newly requested service. */
export function newRecord(fields: NewRecord): ServiceRecord {
  return fromKept({
    ...fields,
    wasUp: false,
    node: null,
    wasOn: null,
    stopping: null,
    failure: null,
    held: false,
    restarting: false,
    retiring: null,
    draining: null,
    lastUp: null,
    address: null,
    placed: null,
    timeLimits: null,
    hasEnded: false,
  });
}

/**
 * Returns the record of a service from its stored part, with the state REQUESTED, as nothing has been observed yet.
 */
export function fromKept(kept: Kept): ServiceRecord {
  const placed = kept.placed === null ? null : fromKeptStart(kept.placed);
  return {
    ...kept,
    ...unplaced(),
    state: 'REQUESTED',
    since: kept.requestedAt,
    failureLog: [],
    address: kept.address,
    placed,
    timeLimits: kept.timeLimits,
    hasEnded: kept.hasEnded,
    players: { online: 0, max: placed?.values.maxPlayers ?? 0 },
  };
}

/**
 * Returns a copy of the stored part of a record. One literal names all fields, because every write copies all records,
 * and several spreads take sixty times as long.
 */
export function toKept(record: ServiceRecord): Kept {
  const { address, placed } = record;
  return {
    id: record.id,
    template: record.template,
    requestedAt: record.requestedAt,
    cause: record.cause,
    manual: record.manual,
    wasUp: record.wasUp,
    node: record.node,
    wasOn: record.wasOn,
    stopping: record.stopping,
    failure: record.failure,
    held: record.held,
    restarting: record.restarting,
    retiring: record.retiring,
    draining: record.draining,
    lastUp: record.lastUp,
    address,
    // Without an address, the service has not been started yet.
    placed: address === null ? null : (keptStartSchema.safeParse(placed).data ?? null),
    timeLimits: record.timeLimits,
    hasEnded: isFailed(record),
  };
}

/**
 * Reports whether a record equals its stored part. Ignores `lastUp`, which changes with every player, time limits,
 * which are stored with the request to stop, an address that is not stored yet, and fields that never change. Compares
 * nested objects by identity, because they are replaced and never modified.
 *
 * @param a the record
 * @param b its stored part; undefined if it is not stored
 */
export function isSameKept(a: ServiceRecord, b: Kept | undefined): boolean {
  return (
    a.id === b?.id &&
    a.node === b.node &&
    a.wasOn === b.wasOn &&
    a.stopping === b.stopping &&
    a.failure === b.failure &&
    a.held === b.held &&
    a.restarting === b.restarting &&
    a.wasUp === b.wasUp &&
    a.retiring === b.retiring &&
    a.draining === b.draining &&
    isFailed(a) === b.hasEnded &&
    // An address that the service no longer has must not be used after a crash.
    (b.address === null || isSameAddress(a.address, b.address))
  );
}

function isSameAddress(a: ServiceRecord['address'], b: NonNullable<Kept['address']>): boolean {
  return a?.host === b.host && a.port === b.port;
}

/**
 * Resets a record to REQUESTED without a node. A pending stop remains, unless the service restarts or is paused: in
 * these cases, the stop is complete and is cleared. Changes the record in place and saves nothing.
 *
 * @param since start of the new state (ms since epoch)
 */
export function backToRequested(record: ServiceRecord, since: number): void {
  record.wasOn = record.node ?? record.wasOn;
  record.node = null;
  // The service need not be replaced any more, because it will start from the latest files and values.
  record.retiring = null;
  // A drain ends with the exit of the process, and the service must not start again.
  const { draining } = record;
  if (draining !== null)
    record.stopping ??= { since, cause: `its process exited during its drain (${draining.cause})` };
  record.draining = null;
  record.lastUp = null;
  if (isRequestedAgain(record)) record.stopping = null;
  record.state = 'REQUESTED';
  record.since = since;
  Object.assign(record, unplaced());
}

/** Notes that the process of a service was observed to have exited. No players are left on it. */
export function noteExit(record: ServiceRecord): void {
  record.hasEnded = true;
  record.players = { online: 0, max: record.players.max };
}

/**
 * Resets a record to REQUESTED, but keeps its node, because the files of the failed process are still there. The files
 * and values from which the service was started stay as well: they decide which data to save.
 *
 * @param since start of the new state (ms since epoch)
 */
export function noteFailure(record: ServiceRecord, since: number): void {
  const { placed } = record;
  record.lastUp = null;
  record.state = 'REQUESTED';
  record.since = since;
  Object.assign(record, unplaced(), { placed, hasEnded: true });
}

/**
 * Reports whether the failure of a service is counted and reported, but the service is not ready for its next start,
 * because its files are still on its node.
 */
export function isFailed({
  state,
  stopping,
  hasEnded,
}: Pick<ServiceRecord, 'state' | 'stopping' | 'hasEnded'>): boolean {
  return hasEnded && stopping === null && state === 'REQUESTED';
}

/** Returns the values for a service without a process. */
function unplaced(): Attempt {
  return {
    waiting: null,
    placed: null,
    address: null,
    pid: null,
    startedAt: null,
    adoptedAt: null,
    startWatch: null,
    upAt: null,
    timeLimits: null,
    players: { online: 0, max: 0 },
    declaredInUse: null,
    plugin: null,
    unusedSince: null,
    silentSince: null,
    unresponsive: false,
    startSeen: false,
    logReadTo: null,
    hasEnded: false,
  };
}

/** Reports whether the service runs, or may run, without having answered this master yet. Players may be on it. */
export function isUnconfirmed(
  record: Pick<ServiceRecord, 'node' | 'state' | 'adoptedAt' | 'upAt' | 'hasEnded'>,
): boolean {
  if (record.upAt !== null || record.hasEnded) return false;
  // The record was read from disk: the service was placed on a node, and this node has not been observed since.
  const unseen = record.node !== null && record.state === 'REQUESTED';
  return unseen || record.adoptedAt !== null;
}

/**
 * Maximum difference between the start times that two masters calculate for the same process (ms). Each calculates it
 * from the age of the process, which the node reports.
 */
const SAME_START_MS = 5_000;

/**
 * For an adopted process, returns the last state in which it was observed up, by this master or an earlier one. Null
 * if the stored state belongs to another process, or if nothing is stored.
 */
export function lastUpOf({ adoptedAt, startedAt, lastUp }: ServiceRecord): ServiceRecord['lastUp'] {
  if (adoptedAt === null || startedAt === null || lastUp === null) return null;
  return Math.abs(startedAt - lastUp.startedAt) <= SAME_START_MS ? lastUp : null;
}

/** Reports whether the service is requested again under its id after it stops, because it is paused or restarting. */
export function isRequestedAgain({ held, restarting }: Pick<Kept, 'held' | 'restarting'>): boolean {
  return held || restarting;
}
