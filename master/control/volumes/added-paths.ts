import type { ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

/** Time between a failed attempt for a service and the next one (ms). */
const TRY_AGAIN_MS = 60_000;

/**
 * Returns the persistent paths that a template has got since one of its services was started. If it is unknown from
 * which values the service was started, returns all persistent paths of the template.
 *
 * Example: started with `world*`, and the template now has `world*` and `plugins/*` → `plugins/*`.
 */
export function addedPaths(
  { template, placed }: Pick<ServiceRecord, 'template' | 'placed'>,
  { config }: Pick<Documents, 'config'>,
): string[] {
  const known = new Set(placed?.values.persistentPaths ?? []);
  const { persistentPaths = [] } = config.templates.get(template)?.state.config ?? {};
  return persistentPaths.filter((path) => !known.has(path));
}

/**
 * Makes a started service also keep the files at the persistent paths that its template has got since the start. Does
 * nothing if there are no such paths. Resolves when the paths are stored on the service's node.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL
 */
export async function keepAddedPaths(
  record: Pick<ServiceRecord, 'id' | 'template' | 'placed'>,
  node: NodeId,
  context: Pick<Documents, 'config'> & Pick<NodeAccess, 'runtimeOf'>,
): Promise<void> {
  const { id, placed } = record;
  const paths = addedPaths(record, context);
  if (paths.length === 0) return;
  await context.runtimeOf(node).addPersistentPaths(id, paths);
  if (placed === null || record.placed !== placed) return;
  const { values } = placed;
  const persistentPaths = [...values.persistentPaths, ...paths];
  record.placed = { ...placed, values: { ...values, persistentPaths } };
}

type Known = Pick<Documents, 'config'> &
  Pick<Environment, 'log'> &
  Pick<NodeAccess, 'runtimeOf'> &
  Pick<ServiceStores, 'records' | 'volumes'>;

/**
 * Makes running services keep files at persistent paths that their templates get later. Without this, the world of a
 * service would be deleted by the restart that an admin makes after adding the first persistent path
 * (docs/specification.md#persistentpaths).
 */
export class AddedPaths {
  readonly #context: Known;
  readonly #clock: () => number;
  readonly #tasks = new Map<ServiceId, Promise<void>>();
  /** When the last attempt for a service failed (ms on the monotonic clock). */
  readonly #failedAt = new WeakMap<ServiceRecord, number>();

  /** @param clock returns the monotonic time (ms) */
  constructor(context: Known, clock: () => number = monotonicMs) {
    this.#context = context;
    this.#clock = clock;
  }

  /** Begins the calls that are due, on nodes that answer. Call it in every round. */
  carryOn(answered: ReadonlySet<NodeId>): void {
    for (const record of this.#context.records.all) {
      const { id, node, placed, startedAt, stopping } = record;
      if (node === null || placed === null || startedAt === null || stopping !== null) continue;
      if (!answered.has(node) || this.#tasks.has(id) || this.#waits(record)) continue;
      if (addedPaths(record, this.#context).length > 0) this.#begin(record, node);
    }
  }

  /** Resolves when no call is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#tasks.values());
  }

  #waits(record: ServiceRecord): boolean {
    return this.#clock() - (this.#failedAt.get(record) ?? -Infinity) < TRY_AGAIN_MS;
  }

  #begin(record: ServiceRecord, node: NodeId): void {
    const { id } = record;
    const { log } = this.#context;
    const task = this.#add(record, node)
      .catch((error: unknown) => {
        this.#failedAt.set(record, this.#clock());
        log.warn({ err: error, service: id }, 'files at new persistent paths are not kept yet');
      })
      .finally(() => this.#tasks.delete(id));
    this.#tasks.set(id, task);
  }

  async #add(record: ServiceRecord, node: NodeId): Promise<void> {
    const { id } = record;
    const { volumes, log } = this.#context;
    const volume = await volumes.make(id);
    // A volume with saves contains an earlier world. The world of this service is then stored as a separate save.
    if (volume.attachment === null && !volume.hasSaves) await volume.attach(id, node, true);
    await keepAddedPaths(record, node, this.#context);
    log.info({ service: id }, 'a running service keeps files at new persistent paths');
  }
}
