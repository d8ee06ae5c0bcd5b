import { z } from 'zod';
import { templateIdSchema } from '#shared/model/template.ts';
import { failureSchema, serviceIdSchema, type ServiceState } from '#shared/model/service.ts';
import type { Plugin } from '#shared/model/player.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { StartedFrom } from './started-from.ts';

/** The part of a record that a restart must not lose: what was asked for, where it was sent, whether it is to end. */
export const keptSchema = z.object({
  id: serviceIdSchema,
  template: templateIdSchema,
  requestedAt: z.int(),
  cause: z.string(),
  /** True when a person asked for it. */
  manual: z.boolean(),
  /** Chosen before anything is done on the node, so that a crash in between is found again. */
  node: z.string().nullable(),
  /** Where it was last, while it is on none: only that node may still have it. */
  wasOn: z.string().nullable().default(null),
  stopping: z.object({ since: z.int(), cause: z.string() }).nullable(),
  failure: failureSchema.nullable(),
  /** A person took it out of automation. Missing in records of masters that knew no holds. */
  held: z.boolean().default(false),
  /** Asked for by a person: it ends, and begins again under its id. True until it is up again. */
  restarting: z.boolean().default(false),
  /** Is being replaced, and stopped then. */
  retiring: z.object({ since: z.int(), cause: z.string() }).nullable().default(null),
  /** A person has it emptied and stopped: see `drains.ts`. */
  draining: z
    .object({ since: z.int(), cause: z.string(), until: z.int().nullable() })
    .nullable()
    .default(null),
  /** What its present process was when it was last seen up; tells the next master since when. Written now and then. */
  lastUp: z
    .object({
      startedAt: z.int(),
      state: z.enum(['RUNNING', 'IN_USE']),
      since: z.int(),
      unusedSince: z.int().nullable(),
    })
    .nullable()
    .default(null),
});
export type Kept = z.infer<typeof keptSchema>;

/** What is known of a service's present process, and of what it waits for to get one. Begins anew with each. */
interface Attempt {
  waiting: Wait | null;
  /** Set while it is placed: what it was started from. */
  placed: StartedFrom | null;
  address: { readonly host: string; readonly port: number } | null;
  pid: number | null;
  startedAt: number | null;
  /** When this master found its process running, or its node silent; null for one that it started itself. */
  adoptedAt: number | null;
  /** When it first answered a ping; null while it never has. */
  upAt: number | null;
  players: { readonly online: number; readonly max: number };
  /** Why a plugin on it says that it is in use, whoever is on it; null when none does. */
  declaredInUse: string | null;
  /** Overworld's plugin in it; null while it has not been heard. */
  plugin: Plugin | null;
  unusedSince: number | null;
  /** Since when it answers nothing, though it did before. */
  silentSince: number | null;
  unresponsive: boolean;
}

/** One service as the master knows it: what is kept, and what was last seen. */
export interface ServiceRecord extends Kept, Attempt {
  state: ServiceState;
  since: number;
  /** Last lines of the last failed attempt. */
  failureLog: readonly string[];
}

/** What is needed to make a record; the rest starts empty. */
export type NewRecord = Pick<Kept, 'id' | 'template' | 'requestedAt' | 'cause' | 'manual'>;

/** A service that was asked for just now. */
export function newRecord(fields: NewRecord): ServiceRecord {
  return fromKept({
    ...fields,
    node: null,
    wasOn: null,
    stopping: null,
    failure: null,
    held: false,
    restarting: false,
    retiring: null,
    draining: null,
    lastUp: null,
  });
}

/** A record as it is read from disk: nothing was seen of it yet. */
export function fromKept(kept: Kept): ServiceRecord {
  return { ...kept, state: 'REQUESTED', since: kept.requestedAt, failureLog: [], ...unplaced() };
}

/** What goes to disk of a record: a copy, which later changes do not touch. */
export function toKept(record: ServiceRecord): Kept {
  const { id, template, requestedAt, cause, manual, node, wasOn } = record;
  const { stopping, failure, held, restarting, retiring, draining, lastUp } = record;
  return {
    ...{ id, template, requestedAt, cause, manual, node, wasOn },
    ...{ stopping, failure, held, restarting, retiring, draining, lastUp },
  };
}

/** `lastUp` is not compared: it changes with every player. What never changes is not either, and objects by identity: they are replaced, never changed. */
export function isSameKept(a: Kept, b: Kept | undefined): boolean {
  return (
    a.id === b?.id &&
    a.node === b.node &&
    a.wasOn === b.wasOn &&
    a.stopping === b.stopping &&
    a.failure === b.failure &&
    a.held === b.held &&
    a.restarting === b.restarting &&
    a.retiring === b.retiring &&
    a.draining === b.draining
  );
}

/**
 * Makes a record what it was before it was sent anywhere: requested, and no more. Whether it is to end stays, unless it
 * comes back: then it has ended.
 */
export function backToRequested(record: ServiceRecord, since: number): void {
  record.wasOn = record.node ?? record.wasOn;
  record.node = null;
  // It begins anew from the newest files and values, which is what it was to be replaced for.
  record.retiring = null;
  // A drain ends with the process: the service is not to begin anew.
  const { draining } = record;
  if (draining !== null)
    record.stopping ??= { since, cause: `its drain (${draining.cause}) has ended with its process` };
  record.draining = null;
  record.lastUp = null;
  if (comesBack(record)) record.stopping = null;
  record.state = 'REQUESTED';
  record.since = since;
  Object.assign(record, unplaced());
}

/** What is known of a service that has no process. */
function unplaced(): Attempt {
  return {
    waiting: null,
    placed: null,
    address: null,
    pid: null,
    startedAt: null,
    adoptedAt: null,
    upAt: null,
    players: { online: 0, max: 0 },
    declaredInUse: null,
    plugin: null,
    unusedSince: null,
    silentSince: null,
    unresponsive: false,
  };
}

/** Runs already, or may, and this master has not heard of it yet: somebody may be on it. */
export function isUnheard(record: Pick<ServiceRecord, 'node' | 'state' | 'adoptedAt' | 'upAt'>): boolean {
  if (record.upAt !== null) return false;
  // As it is read from disk: it was sent to a node that nobody has looked at since.
  const unseen = record.node !== null && record.state === 'REQUESTED';
  return unseen || record.adoptedAt !== null;
}

/** Its end is no end: it is wanted again under its id, as one that is held, or was asked to begin again. */
export function comesBack({ held, restarting }: Pick<Kept, 'held' | 'restarting'>): boolean {
  return held || restarting;
}
