import { z } from 'zod';
import type { Node } from '#shared/model/node.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

type Seen = Pick<Node, 'id' | 'state'>;

/** States are only compared, so the file may contain a state that only a newer master knows. */
const fileSchema = z.record(z.string(), z.object({ state: z.string(), since: z.int().nullable() }));
type NodeTimesFile = z.infer<typeof fileSchema>;

/**
 * Stores for each node the time at which its current state began. A time is unknown if no master observed the change
 * to the state. The times are saved for the next master.
 */
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

  /**
   * Reads the times that were saved.
   *
   * @throws OverworldError DATA_FAULTY
   */
  static async open(path: string, now: () => number): Promise<NodeTimes> {
    return new NodeTimes(await openJsonFile(path, fileSchema, {}), now);
  }

  /**
   * Updates the stored states of all nodes. Call it soon after a change. At the first call, a state that differs from
   * the saved state changed while no master was running. The time of such a change is unknown.
   *
   * @param isComplete false while there may be nodes that this master does not know yet; no node is removed then
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
   * Returns since when the node has been in its current state (ms since epoch). Null if no master observed the
   * change. Returns the current time for a state that is not stored yet.
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
