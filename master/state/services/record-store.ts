import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { serviceNumber, type ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import {
  fromKept,
  isSameKept,
  keptSchema,
  newRecord,
  toKept,
  type NewRecord,
  type ServiceRecord,
} from './records.ts';

const fileSchema = z.object({
  /**
   * Highest number assigned so far, per template. It is not assigned again, except to a service of a template with
   * persistent paths.
   */
  numbers: z.record(z.string(), z.int()),
  services: z.array(keptSchema),
  /** What a master without stored records has observed so far. Missing once it has observed all nodes. */
  recovery: z
    .object({
      /** Nodes that existed when the provider first listed the nodes. Null until then. */
      existing: z.array(z.string()).nullable(),
      /** Nodes whose first answer was processed. */
      observed: z.array(z.string()),
    })
    .optional(),
});
type RecordsFile = z.infer<typeof fileSchema>;
export type Recovery = NonNullable<RecordsFile['recovery']>;

/**
 * The records of all services. A change of a record's stored part is on disk only once {@link RecordStore.save} has
 * resolved.
 */
export class RecordStore {
  readonly #records = new Map<ServiceId, ServiceRecord>();
  readonly #numbers: Map<TemplateId, number>;
  readonly #file: JsonFile<RecordsFile>;
  /** Content of the file on disk. */
  #saved: RecordsFile;
  /** Cached list of records, rebuilt after a change, because it is read many times per round. */
  #all: readonly ServiceRecord[] | null = null;
  #closed = false;
  #floor = 0;
  /**
   * Whether this master started without records: at the first start, or after the state folder was lost. Also true if
   * an earlier master started without records and ended before it had observed all nodes.
   */
  readonly isRecovering: boolean;
  /** What was observed since the start without records; undefined if that is complete. Replaced, never changed. */
  recovery: Recovery | undefined;

  private constructor(file: JsonFile<RecordsFile>) {
    const { numbers, recovery } = file.data;
    this.isRecovering = recovery !== undefined || Object.keys(numbers).length === 0;
    this.recovery = recovery;
    this.#file = file;
    this.#saved = file.data;
    this.#numbers = new Map(Object.entries(numbers));
    for (const kept of file.data.services) this.#records.set(kept.id, fromKept(kept));
  }

  /**
   * Reads the records from disk.
   *
   * @throws OverworldError DATA_FAULTY
   */
  static async open(path: string): Promise<RecordStore> {
    return new RecordStore(await openJsonFile(path, fileSchema, { numbers: {}, services: [] }));
  }

  /** Records of all services, in the sequence in which they were added. */
  get all(): readonly ServiceRecord[] {
    return (this.#all ??= [...this.#records.values()]);
  }

  /** Returns the record of a service. Undefined if there is none. */
  get(id: ServiceId): ServiceRecord | undefined {
    return this.#records.get(id);
  }

  /** Returns the records of a template's services. */
  of(template: TemplateId): ServiceRecord[] {
    return this.all.filter((record) => record.template === template);
  }

  /**
   * Returns the number of a template's next service, which is higher than all numbers that were ever assigned. Does
   * not reserve the number.
   */
  nextNumber(template: TemplateId): number {
    return Math.max(this.#numbers.get(template) ?? 0, this.#floor) + 1;
  }

  /** From now on, assigns only numbers above `floor` to new services of all templates. */
  numberFrom(floor: number): void {
    this.#floor = Math.max(this.#floor, floor);
  }

  /** Adds the record of a new service, in memory only until {@link RecordStore.save}. */
  add(fields: NewRecord): ServiceRecord {
    const record = newRecord(fields);
    this.#records.set(record.id, record);
    this.#all = null;
    this.#numbers.set(
      record.template,
      Math.max(this.#numbers.get(record.template) ?? 0, serviceNumber(record.id)),
    );
    return record;
  }

  /** Removes a record, in memory only until {@link RecordStore.save}. Its number stays assigned. */
  remove(id: ServiceId): void {
    this.#records.delete(id);
    this.#all = null;
  }

  /**
   * Writes the stored part if it changed. Does not write if the only changes are states, times, and addresses that
   * were not stored yet. Resolves when it is on disk.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE; MASTER_ENDING after {@link RecordStore.close}
   */
  async save(): Promise<void> {
    if (!this.#isSaved()) await this.#write();
  }

  /**
   * Writes the stored part like {@link RecordStore.save}, but also writes it if only states, times and addresses of
   * services have changed.
   *
   * @throws as {@link RecordStore.save}
   */
  async saveTimes(): Promise<void> {
    const { services } = this.#saved;
    const isChanged = ({ lastUp, address }: ServiceRecord, i: number): boolean =>
      lastUp !== services[i]?.lastUp || address !== services[i].address;
    if (!this.#isSaved() || this.all.some(isChanged)) await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#closed) throw new OverworldError('MASTER_ENDING', { what: 'the list of services' });
    const data = {
      numbers: Object.fromEntries(this.#numbers),
      services: this.all.map(toKept),
      recovery: this.recovery,
    };
    await this.#file.update(() => data);
    this.#saved = data;
  }

  /**
   * Reports whether everything is saved. Makes no copies of the records, because it runs in every round, usually
   * without any change.
   */
  #isSaved(): boolean {
    const { numbers, services, recovery } = this.#saved;
    if (services.length !== this.#records.size || recovery !== this.recovery) return false;
    for (const [template, number] of this.#numbers) if (numbers[template] !== number) return false;
    return this.all.every((record, i) => isSameKept(record, services[i]));
  }

  /** Whether the store is closed. Nothing is written any more then. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Stops all writes, because another master may use the file. Resolves when the last write has finished. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#file.update((data) => data);
  }
}
