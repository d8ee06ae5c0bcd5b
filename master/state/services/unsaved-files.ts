import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import type { Environment } from '../context/environment.ts';

/** Maximum number of stored entries, because a node under an attacker's control may report any number of services. */
const MAX_STORED = 1_000;

const fileSchema = z.object({
  files: z.array(z.object({ node: z.string(), service: z.string(), isKnown: z.boolean() })),
});
type UnsavedFilesDocument = z.infer<typeof fileSchema>;

/**
 * Opens the list of files that could not be saved from their nodes.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openUnsavedFiles(path: string): Promise<JsonFile<UnsavedFilesDocument>> {
  return openJsonFile(path, fileSchema, { files: [] });
}

/** A service, and a node on which it does not belong. */
interface Stray {
  readonly node: NodeId;
  readonly service: ServiceId;
}

/** Files of a service that could not be saved from a node. */
interface FailedSave extends Stray {
  /**
   * Whether this master stores the files as soon as it can. False if it will not store them (`DATA_UNKNOWN`,
   * `SEPARATE_SAVES_LIMIT`).
   */
  readonly isKnown: boolean;
  /** Time at which the last attempt failed (ms on the monotonic clock). -Infinity if an earlier master tried. */
  readonly failedAt: number;
  /** Number of attempts in succession that failed because of `SEPARATE_SAVES_LIMIT`. */
  readonly beyondLimit: number;
}

interface UnsavedFilesOptions extends Pick<Environment, 'log'> {
  /** Stores the list for the next master, which may not reach the nodes. Absent if it need not be stored. */
  readonly stored?: JsonFile<UnsavedFilesDocument> | undefined;
  /** Returns the monotonic time (ms). */
  readonly clock: () => number;
}

/** The files of services on nodes where the services do not belong any more, while these files are not saved. */
export class UnsavedFiles {
  readonly #options: UnsavedFilesOptions;
  /** Failed saves, by node and service. */
  readonly #failed = new Map<string, FailedSave>();
  /** Saves in progress, by node and service. */
  readonly #saving = new Map<string, Stray>();

  constructor(options: UnsavedFilesOptions) {
    this.#options = options;
    for (const one of options.stored?.data.files ?? [])
      this.#failed.set(keyOf(one), { ...one, failedAt: -Infinity, beyondLimit: 0 });
  }

  /** Returns the failed save of a service's files on a node; undefined if none has failed. */
  failureOf(node: NodeId, service: ServiceId): FailedSave | undefined {
    return this.#failed.get(keyOf({ node, service }));
  }

  /**
   * Returns the services whose files on a node are not saved, or are being saved now.
   *
   * @param onlyKnown whether to leave out data that this master will not store (`DATA_UNKNOWN`,
   *   `SEPARATE_SAVES_LIMIT`)
   */
  on(node: NodeId, onlyKnown: boolean): ServiceId[] {
    const failed = [...this.#failed.values()].filter((one) => one.isKnown || !onlyKnown);
    // A further attempt does not change what is known of earlier ones.
    const first = [...this.#saving].flatMap(([key, one]) => (this.#failed.has(key) ? [] : one));
    return [...failed, ...first].filter((one) => one.node === node).map(({ service }) => service);
  }

  /**
   * Saves the files of a service on a node, and remembers whether that failed.
   *
   * @param save resolves when the files are saved, or if there are none to save
   * @throws what `save` throws
   */
  async save(node: NodeId, service: ServiceId, save: () => Promise<void>): Promise<void> {
    const stray = { node, service };
    const key = keyOf(stray);
    this.#saving.set(key, stray);
    try {
      await save();
      if (this.#failed.delete(key)) await this.#store();
    } catch (error) {
      // If the files of a volume cannot be reached, the error is VOLUME_SAVE_FAILED. With this error, it is not known
      // that there are files to save, and a node that is lost would be kept for nothing.
      if (!hasCode(error, 'NODE_UNREACHABLE')) await this.#noteFailure(stray, error);
      throw error;
    } finally {
      this.#saving.delete(key);
    }
  }

  /**
   * Removes entries whose files no longer exist.
   *
   * @param isThere reports whether a node still has files of a service
   */
  async forgetRemoved(isThere: (node: NodeId, service: ServiceId) => boolean): Promise<void> {
    const removed = [...this.#failed].filter(([, { node, service }]) => !isThere(node, service));
    for (const [key] of removed) this.#failed.delete(key);
    if (removed.length > 0) await this.#store();
  }

  async #noteFailure(stray: Stray, error: unknown): Promise<void> {
    const key = keyOf(stray);
    const isBeyond = hasCode(error, 'SEPARATE_SAVES_LIMIT');
    const isKnown = !hasCode(error, 'DATA_UNKNOWN') && !isBeyond;
    const beyondLimit = isBeyond ? (this.#failed.get(key)?.beyondLimit ?? 0) + 1 : 0;
    this.#failed.set(key, { ...stray, isKnown, failedAt: this.#options.clock(), beyondLimit });
    await this.#store();
  }

  /** Stores the list. If that fails, only the next master does not know it. */
  async #store(): Promise<void> {
    const { stored, log } = this.#options;
    const files = [...this.#failed.values()]
      .slice(0, MAX_STORED)
      .map(({ node, service, isKnown }) => ({ node, service, isKnown }));
    try {
      await stored?.update((before) => (isDeepStrictEqual(before.files, files) ? before : { files }));
    } catch (error) {
      log.warn({ err: error }, 'the list of files that are not saved could not be stored');
    }
  }
}

function keyOf({ node, service }: Stray): string {
  return `${node} ${service}`;
}
