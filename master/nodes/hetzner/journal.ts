import { z } from 'zod';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { nodeNumber } from './labels.ts';

/** A machine as it is written down. What labels cannot say, or only after a request, is here first. */
const recordSchema = z.strictObject({
  node: z.string(),
  /** Its name at the provider's. */
  name: z.string(),
  /** Its id there; null until the provider has told it. */
  server: z.int().nullable(),
  /** `ordering`: meant, and not known to be there; `releasing`: meant to be gone. */
  phase: z.enum(['ordering', 'there', 'releasing']),
  /** As last seen. */
  status: z.enum(['starting', 'on', 'off', 'deleting']),
  address: z.string().nullable(),
  type: z.string(),
  location: z.string(),
  /** ms since epoch: when the provider began to count; until it is there, when the order was written down. */
  since: z.int(),
  hourlyPrice: z.number(),
  ramMb: z.int(),
  cores: z.number(),
  sshPort: z.int(),
  hostKeys: z.array(z.string()),
  readyAt: z.int().nullable(),
});
export type MachineRecord = z.infer<typeof recordSchema>;

const failureSchema = z.strictObject({
  at: z.int(),
  node: z.string(),
  type: z.string(),
  location: z.string(),
  why: z.string(),
});
export type Failure = z.infer<typeof failureSchema>;

const journalSchema = z.strictObject({
  /** Of the next node; numbers are never used twice. */
  nextNumber: z.int().min(1),
  machines: z.array(recordSchema),
  /** Machines that did not become ready, of the last hour. */
  failures: z.array(failureSchema),
  /** From where nodes saw the master come when they last told. */
  masters: z.array(z.string()),
  /** No node can be reached any more: the master may come from elsewhere by now. */
  areMastersDoubted: z.boolean().default(false),
  /** Tells one token from another without telling it; null before the first listing. */
  tokenMark: z.string().nullable(),
});
type JournalData = z.infer<typeof journalSchema>;

/** What was meant and what is known of rented machines, on disk before anybody acts on it (docs/adr/0018). */
export class Journal {
  readonly #file: JsonFile<JournalData>;

  private constructor(file: JsonFile<JournalData>) {
    this.#file = file;
  }

  /** @throws OverworldError DATA_FAULTY */
  static async open(path: string): Promise<Journal> {
    const empty = {
      nextNumber: 1,
      machines: [],
      failures: [],
      masters: [],
      areMastersDoubted: false,
      tokenMark: null,
    };
    return new Journal(await openJsonFile<JournalData>(path, journalSchema, empty));
  }

  get machines(): readonly MachineRecord[] {
    return this.#file.data.machines;
  }

  get nextNumber(): number {
    return this.#file.data.nextNumber;
  }

  get failures(): readonly Failure[] {
    return this.#file.data.failures;
  }

  get masters(): readonly string[] {
    return this.#file.data.masters;
  }

  get tokenMark(): string | null {
    return this.#file.data.tokenMark;
  }

  of(node: NodeId): MachineRecord | undefined {
    return this.machines.find((record) => record.node === node);
  }

  /** @throws OverworldError DISK_FULL; then nothing is noted */
  async add(record: MachineRecord): Promise<void> {
    await this.#file.update((data) => ({
      ...data,
      nextNumber: Math.max(data.nextNumber, (nodeNumber(record.node) ?? 0) + 1),
      machines: [...data.machines.filter(({ node }) => node !== record.node), record],
    }));
  }

  /** Changes what is known of a machine; one that is not noted stays so, and no change is no write. */
  async change(node: NodeId, change: Partial<MachineRecord>): Promise<void> {
    await this.#file.update((data) => {
      const record = data.machines.find((one) => one.node === node);
      if (record === undefined || !differs(record, change)) return data;
      const changed = { ...record, ...change };
      return { ...data, machines: data.machines.map((one) => (one === record ? changed : one)) };
    });
  }

  async forget(node: NodeId): Promise<void> {
    await this.#file.update((data) =>
      data.machines.some((record) => record.node === node)
        ? { ...data, machines: data.machines.filter((record) => record.node !== node) }
        : data,
    );
  }

  /** @param since older failures are forgotten, ms since epoch */
  async addFailure(failure: Failure, since: number): Promise<void> {
    await this.#file.update((data) => ({
      ...data,
      failures: [...data.failures.filter(({ at }) => at >= since), failure],
    }));
  }

  get areMastersDoubted(): boolean {
    return this.#file.data.areMastersDoubted;
  }

  async setMasters(masters: readonly string[]): Promise<void> {
    await this.#file.update((data) => ({ ...data, masters: [...masters], areMastersDoubted: false }));
  }

  async doubtMasters(): Promise<void> {
    await this.#file.update((data) => (data.areMastersDoubted ? data : { ...data, areMastersDoubted: true }));
  }

  async setTokenMark(tokenMark: string): Promise<void> {
    await this.#file.update((data) => (data.tokenMark === tokenMark ? data : { ...data, tokenMark }));
  }
}

function differs(record: MachineRecord, change: Partial<MachineRecord>): boolean {
  const changed: MachineRecord = { ...record, ...change };
  return JSON.stringify(changed) !== JSON.stringify(record);
}
