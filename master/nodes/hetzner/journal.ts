import { z } from 'zod';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { nodeNumber } from './labels.ts';

/**
 * Record of a machine in the journal. It stores facts that the provider's labels cannot express, and facts that only
 * a later request writes to the labels.
 */
const recordSchema = z.strictObject({
  node: z.string(),
  /** Name of the server at the provider. */
  name: z.string(),
  /** Id of the server at the provider; null until the provider has assigned it. */
  server: z.int().nullable(),
  /**
   * Phase of the machine. `ordering`: an order is recorded, and the server is not known to exist. `there`: the server
   * exists. `releasing`: the server must be deleted.
   */
  phase: z.enum(['ordering', 'there', 'releasing']),
  /** Last known status. */
  status: z.enum(['starting', 'on', 'off', 'deleting']),
  address: z.string().nullable(),
  type: z.string(),
  location: z.string(),
  /** Start of billing (ms since epoch); until the server exists, the time of the order. */
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
  /** Number of the next node. Numbers are never reused. */
  nextNumber: z.int().min(1),
  machines: z.array(recordSchema),
  /** Machines of the last hour that did not become ready. */
  failures: z.array(failureSchema),
  /** Addresses of the master as last reported by nodes. */
  masters: z.array(z.string()),
  /**
   * Whether the addresses in `masters` may be wrong: no node can be reached any more, or a node sees the master at
   * another address.
   */
  areMastersDoubted: z.boolean().default(false),
  /** Hash of the API token with which servers were last listed (`Access.mark`); null before the first listing. */
  tokenMark: z.string().nullable(),
});
type JournalData = z.infer<typeof journalSchema>;

/**
 * Journal of cloud servers on disk. It contains pending orders and deletions, and the known facts about each server.
 * An order or a deletion is recorded before the request is sent (docs/adr/0018).
 */
export class Journal {
  readonly #file: JsonFile<JournalData>;

  /** Last unfinished order or release of each node; the next one for the same node waits for it. */
  readonly #claims = new Map<NodeId, Promise<unknown>>();

  private constructor(file: JsonFile<JournalData>) {
    this.#file = file;
  }

  /**
   * Reads the journal from disk.
   *
   * @throws OverworldError DATA_FAULTY
   */
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

  /** Records of all cloud servers that exist, are ordered or are being deleted. */
  get machines(): readonly MachineRecord[] {
    return this.#file.data.machines;
  }

  /** Number of the next node, `node-<n>`. */
  get nextNumber(): number {
    return this.#file.data.nextNumber;
  }

  /** Nodes that recently did not become ready. */
  get failures(): readonly Failure[] {
    return this.#file.data.failures;
  }

  /** Addresses of the master as last reported by nodes. */
  get masters(): readonly string[] {
    return this.#file.data.masters;
  }

  /**
   * Reports whether the provider last answered with another API token than this one.
   *
   * @param mark hash of the token
   */
  isOtherToken(mark: string): boolean {
    const { tokenMark } = this.#file.data;
    return tokenMark !== null && tokenMark !== mark;
  }

  /** Returns the record of a node. Undefined if there is none. */
  of(node: NodeId): MachineRecord | undefined {
    return this.machines.find((record) => record.node === node);
  }

  /** Nodes with an order or a release in progress. Only this order or release may change the node's record. */
  get busy(): ReadonlySet<NodeId> {
    return new Set(this.#claims.keys());
  }

  /**
   * Runs an order or a release. Calls for the same node run one after the other, calls for different nodes in
   * parallel. Returns what `work` returns, and rejects if `work` rejects.
   */
  claim<T>(node: NodeId, work: () => Promise<T>): Promise<T> {
    const before = this.#claims.get(node) ?? Promise.resolve();
    const run = before.catch(() => undefined).then(work);
    const end = run
      .catch(() => undefined)
      .finally(() => {
        if (this.#claims.get(node) === end) this.#claims.delete(node);
      });
    this.#claims.set(node, end);
    return run;
  }

  /** Resolves when no order or release is in progress. */
  async settled(): Promise<void> {
    while (this.#claims.size > 0) await Promise.all(this.#claims.values());
  }

  /** Adds a record. @throws OverworldError DISK_FULL; nothing is stored in that case */
  async add(record: MachineRecord): Promise<void> {
    await this.#file.update((data) => ({
      ...data,
      nextNumber: Math.max(data.nextNumber, (nodeNumber(record.node) ?? 0) + 1),
      machines: [...data.machines.filter(({ node }) => node !== record.node), record],
    }));
  }

  /**
   * Changes the record of a machine. Does nothing if there is no record or no change. @throws OverworldError
   * DISK_FULL
   */
  async change(node: NodeId, change: Partial<MachineRecord>): Promise<void> {
    await this.#file.update((data) => {
      const record = data.machines.find((one) => one.node === node);
      if (record === undefined || !differs(record, change)) return data;
      const changed = { ...record, ...change };
      return { ...data, machines: data.machines.map((one) => (one === record ? changed : one)) };
    });
  }

  /** Removes the record of a machine. Does nothing if there is none. @throws OverworldError DISK_FULL */
  async forget(node: NodeId): Promise<void> {
    await this.#file.update((data) =>
      data.machines.some((record) => record.node === node)
        ? { ...data, machines: data.machines.filter((record) => record.node !== node) }
        : data,
    );
  }

  /** Adds a failure, and removes those before `since` (ms since epoch). @throws OverworldError DISK_FULL */
  async addFailure(failure: Failure, since: number): Promise<void> {
    await this.#file.update((data) => ({
      ...data,
      failures: [...data.failures.filter(({ at }) => at >= since), failure],
    }));
  }

  /**
   * Whether the master's addresses may be wrong: no node can be reached any more, or a node sees the master at
   * another address.
   */
  get areMastersDoubted(): boolean {
    return this.#file.data.areMastersDoubted;
  }

  /** Stores the master's addresses, and that they are not doubted. @throws OverworldError DISK_FULL */
  async setMasters(masters: readonly string[]): Promise<void> {
    await this.#file.update((data) => ({ ...data, masters: [...masters], areMastersDoubted: false }));
  }

  /** Stores that the master's addresses may be wrong. @throws OverworldError DISK_FULL */
  async doubtMasters(): Promise<void> {
    await this.#file.update((data) => (data.areMastersDoubted ? data : { ...data, areMastersDoubted: true }));
  }

  /** Stores the hash of the API token. @throws OverworldError DISK_FULL */
  async setTokenMark(tokenMark: string): Promise<void> {
    await this.#file.update((data) => (data.tokenMark === tokenMark ? data : { ...data, tokenMark }));
  }
}

function differs(record: MachineRecord, change: Partial<MachineRecord>): boolean {
  const changed: MachineRecord = { ...record, ...change };
  return JSON.stringify(changed) !== JSON.stringify(record);
}
