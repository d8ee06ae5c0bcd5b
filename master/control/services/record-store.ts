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
  /** Highest number given so far, per template: an id is never used twice. */
  numbers: z.record(z.string(), z.int()),
  services: z.array(keptSchema),
});
type RecordsFile = z.infer<typeof fileSchema>;

/** All services of the master. Changes to the kept part count only once {@link RecordStore.save} has resolved. */
export class RecordStore {
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
    for (const kept of file.data.services) this.#records.set(kept.id, fromKept(kept));
  }

  /** @throws OverworldError DATA_FAULTY */
  static async open(path: string): Promise<RecordStore> {
    return new RecordStore(await openJsonFile(path, fileSchema, { numbers: {}, services: [] }));
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
    const record = newRecord(fields);
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
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE; MASTER_ENDING after {@link RecordStore.close}
   */
  async save(): Promise<void> {
    if (!this.#isSaved()) await this.#write();
  }

  /** As {@link RecordStore.save}, also when only states and times of services have changed, which may get lost. */
  async saveTimes(): Promise<void> {
    const { services } = this.#saved;
    if (!this.#isSaved() || this.all.some(({ lastUp }, i) => lastUp !== services[i]?.lastUp))
      await this.#write();
  }

  async #write(): Promise<void> {
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
