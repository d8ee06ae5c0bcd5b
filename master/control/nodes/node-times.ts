import { z } from 'zod';
import { nodeStateSchema, type Node } from '#shared/model/node.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

type Seen = Pick<Node, 'id' | 'state'>;

const fileSchema = z.record(z.string(), z.object({ state: nodeStateSchema, since: z.int().nullable() }));
type NodeTimesFile = z.infer<typeof fileSchema>;

/** Since when each node is in its state, as far as a master saw the change. Saved for the next master. */
export class NodeTimes {
  readonly #file: JsonFile<NodeTimesFile>;
  readonly #now: () => number;
  #seen: Readonly<NodeTimesFile>;
  #isFirstLook = true;

  private constructor(file: JsonFile<NodeTimesFile>, now: () => number) {
    this.#file = file;
    this.#seen = file.data;
    this.#now = now;
  }

  /** @throws OverworldError DATA_FAULTY */
  static async open(path: string, now: () => number): Promise<NodeTimes> {
    return new NodeTimes(await openJsonFile(path, fileSchema, {}), now);
  }

  /**
   * Stores the states of all nodes. Call it soon after a change. A state that is new at the first call began at an
   * unknown time.
   *
   * @param isComplete false while there may be nodes that this master does not know yet; no node is forgotten then
   */
  see(nodes: readonly Seen[], isComplete: boolean): void {
    const began = this.#isFirstLook ? null : this.#now();
    this.#isFirstLook = false;
    const changed = nodes.filter(({ id, state }) => this.#seen[id]?.state !== state);
    const ids = new Set(nodes.map(({ id }) => id));
    const kept = Object.entries(this.#seen).filter(([id]) => !isComplete || ids.has(id));
    if (changed.length === 0 && kept.length === Object.keys(this.#seen).length) return;
    const updates = changed.map(({ id, state }) => [id, { state, since: began }] as const);
    this.#seen = Object.fromEntries([...kept, ...updates]);
  }

  /**
   * Returns since when the node is in its state (ms since epoch). Null if no master saw the change. A state that
   * was not seen before begins now.
   */
  since({ id, state }: Seen): number | null {
    const known = this.#seen[id];
    return known?.state === state ? known.since : this.#now();
  }

  /**
   * Writes the changes. Resolves when they are on disk.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  async save(): Promise<void> {
    const seen = this.#seen;
    await this.#file.update(() => seen);
  }
}
