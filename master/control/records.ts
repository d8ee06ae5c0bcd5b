import { z } from 'zod';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import {
  failureSchema,
  serviceIdSchema,
  serviceNumber,
  type ServiceId,
  type ServiceState,
} from '#shared/model/service.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Plugin } from '#shared/model/player.ts';
import type { Wait } from '#shared/model/wait.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import type { StartedFrom } from './started-from.ts';

/** The part of a record that a restart must not lose: what was asked for, where it was sent, whether it is to end. */
const keptSchema = z.object({
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
});
type Kept = z.infer<typeof keptSchema>;

const fileSchema = z.object({
  /** Highest number given so far, per template: an id is never used twice. */
  numbers: z.record(z.string(), z.int()),
  services: z.array(keptSchema),
});
type RecordsFile = z.infer<typeof fileSchema>;

/** One service as the master knows it: what is kept, and what was last seen. */
export interface ServiceRecord extends Kept {
  state: ServiceState;
  since: number;
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
  /** Last lines of the last failed attempt. */
  failureLog: readonly string[];
}

/** What is needed to make a record; the rest starts empty. */
export type NewRecord = Pick<Kept, 'id' | 'template' | 'requestedAt' | 'cause' | 'manual'>;

/** All services of the master. Changes to the kept part count only once {@link ServiceRecords.save} has resolved. */
export class ServiceRecords {
  readonly #records = new Map<ServiceId, ServiceRecord>();
  readonly #numbers: Map<TemplateId, number>;
  readonly #file: JsonFile<RecordsFile>;
  /** What is on disk for certain. */
  #saved: RecordsFile;
  /** Made anew after each change, as it is asked for many times a round. */
  #all: readonly ServiceRecord[] | null = null;
  #closed = false;
  #floor = 0;
  /** Nothing was known when it was opened, as at the very first start, or after the loss of the state folder. */
  readonly wasEmpty: boolean;

  private constructor(file: JsonFile<RecordsFile>) {
    this.wasEmpty = Object.keys(file.data.numbers).length === 0;
    this.#file = file;
    this.#saved = file.data;
    this.#numbers = new Map(Object.entries(file.data.numbers));
    for (const kept of file.data.services) this.#records.set(kept.id, toRecord(kept));
  }

  /** @throws OverworldError DATA_FAULTY */
  static async open(path: string): Promise<ServiceRecords> {
    return new ServiceRecords(await openJsonFile(path, fileSchema, { numbers: {}, services: [] }));
  }

  get all(): readonly ServiceRecord[] {
    return (this.#all ??= [...this.#records.values()]);
  }

  get(id: ServiceId): ServiceRecord | undefined {
    return this.#records.get(id);
  }

  of(template: TemplateId): ServiceRecord[] {
    return this.all.filter((record) => record.template === template);
  }

  nextNumber(template: TemplateId): number {
    return Math.max(this.#numbers.get(template) ?? 0, this.#floor) + 1;
  }

  /** From now on only higher numbers are given, of all templates. */
  numberFrom(floor: number): void {
    this.#floor = Math.max(this.#floor, floor);
  }

  add(fields: NewRecord): ServiceRecord {
    const record = toRecord({
      ...fields,
      node: null,
      wasOn: null,
      stopping: null,
      failure: null,
      held: false,
      restarting: false,
      retiring: null,
    });
    this.#records.set(record.id, record);
    this.#all = null;
    this.#numbers.set(
      record.template,
      Math.max(this.#numbers.get(record.template) ?? 0, serviceNumber(record.id)),
    );
    return record;
  }

  remove(id: ServiceId): void {
    this.#records.delete(id);
    this.#all = null;
  }

  /**
   * Writes what is kept, if it changed. Resolves when it is on disk.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE; MASTER_ENDING after {@link ServiceRecords.close}
   */
  async save(): Promise<void> {
    if (this.#isSaved()) return;
    if (this.#closed) throw new OverworldError('MASTER_ENDING', { what: 'what is meant of services' });
    const data = { numbers: Object.fromEntries(this.#numbers), services: this.all.map(toKept) };
    await this.#file.update(() => data);
    this.#saved = data;
  }

  /** Looked at every round: without a copy, as usually nothing has changed. */
  #isSaved(): boolean {
    const { numbers, services } = this.#saved;
    if (services.length !== this.#records.size) return false;
    for (const [template, number] of this.#numbers) if (numbers[template] !== number) return false;
    return this.all.every((record, i) => isSameKept(record, services[i]));
  }

  /** Nothing is written any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** From now on nothing is written: another master may hold the file. Resolves when the last write has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#file.update((data) => data);
  }
}

function toKept(record: ServiceRecord): Kept {
  const { id, template, requestedAt, cause, manual, node, wasOn } = record;
  const { stopping, failure, held, restarting, retiring } = record;
  return {
    id,
    template,
    requestedAt,
    cause,
    manual,
    node,
    wasOn,
    stopping,
    failure,
    held,
    restarting,
    retiring,
  };
}

/** What never changes is not compared, and objects by identity: they are replaced, never changed. */
function isSameKept(a: Kept, b: Kept | undefined): boolean {
  return (
    a.id === b?.id &&
    a.node === b.node &&
    a.wasOn === b.wasOn &&
    a.stopping === b.stopping &&
    a.failure === b.failure &&
    a.held === b.held &&
    a.restarting === b.restarting &&
    a.retiring === b.retiring
  );
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

/** A record as it begins, or begins again after a failed attempt: requested, nothing seen of it. */
function toRecord(kept: Kept): ServiceRecord {
  return {
    ...kept,
    state: 'REQUESTED',
    since: kept.requestedAt,
    failureLog: [],
    ...unplaced(),
  };
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
  if (comesBack(record)) record.stopping = null;
  record.state = 'REQUESTED';
  record.since = since;
  Object.assign(record, unplaced());
}

/** What is known of a service that has no process. */
function unplaced(): Pick<
  ServiceRecord,
  | 'waiting'
  | 'placed'
  | 'address'
  | 'pid'
  | 'startedAt'
  | 'adoptedAt'
  | 'upAt'
  | 'players'
  | 'declaredInUse'
  | 'plugin'
  | 'unusedSince'
  | 'silentSince'
  | 'unresponsive'
> {
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
