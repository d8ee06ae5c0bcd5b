import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { DataUnsaved } from '../volumes/keep-data.ts';
import { endService } from './stop.ts';

/** Delay before a failed stop is tried again (ms), so that a stop that fails at once does not become a busy loop. */
const TRY_AGAIN_MS = 1_000;

/** Starts and stops that run in parallel with the rounds, at most one per service. */
export class ServiceTasks {
  readonly #context: Pick<Documents, 'config'> &
    Environment &
    Pick<NodeAccess, 'registry' | 'runtimeOf'> &
    Pick<ServiceStores, 'records' | 'volumes'> &
    Pick<IngressAccess, 'balancer'> &
    Pick<Feed, 'events'>;
  readonly #onDone: () => void;
  readonly #clock: () => number;
  readonly #tasks = new Map<ServiceId, Promise<void>>();
  /** Services that get no time to save when they are stopped. */
  readonly #killed = new Set<ServiceId>();
  /**
   * When the last attempt to stop a service failed (ms on the monotonic clock). Removed when an attempt succeeds or
   * the service is removed.
   */
  readonly #failedAt = new Map<ServiceId, number>();
  /** Services whose server has exited, but whose data could not be saved in the last attempt to stop them. */
  readonly #unsaved = new Set<ServiceId>();

  /**
   * @param onDone called when an action has succeeded. It is not called after a failed action, which the next regular
   *   round continues
   * @param clock returns the monotonic time (ms)
   */
  constructor(
    context: Pick<Documents, 'config'> &
      Environment &
      Pick<NodeAccess, 'registry' | 'runtimeOf'> &
      Pick<ServiceStores, 'records' | 'volumes'> &
      Pick<IngressAccess, 'balancer'> &
      Pick<Feed, 'events'>,
    onDone: () => void,
    clock: () => number = monotonicMs,
  ) {
    this.#context = context;
    this.#onDone = onDone;
    this.#clock = clock;
  }

  /** Number of actions in progress. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Reports whether an action is in progress for a service. */
  has(id: ServiceId): boolean {
    return this.#tasks.has(id);
  }

  /** Returns the services with an action in progress. */
  busy(): ReadonlySet<ServiceId> {
    return new Set(this.#tasks.keys());
  }

  /**
   * Reports whether the server of a service has exited, but its data could not be saved. The data stays in the
   * service's folder. The stop is tried again, and then saves the data.
   */
  isUnsaved({ id, node, stopping }: Pick<ServiceRecord, 'id' | 'node' | 'stopping'>): boolean {
    return this.#unsaved.has(id) && node !== null && stopping !== null;
  }

  /** Resolves when any action in progress has finished. Never resolves if there is none. */
  async one(): Promise<void> {
    await Promise.race(this.#tasks.values());
  }

  /** Resolves when the action in progress for one service has finished. */
  async of(id: ServiceId): Promise<void> {
    await this.#tasks.get(id);
  }

  /**
   * Begins an action for a service. No other action may be in progress for this service. A failed action is only
   * logged.
   */
  begin(record: ServiceRecord, work: () => Promise<void>): void {
    const { log } = this.#context;
    const task = work().then(
      () => {
        this.#tasks.delete(record.id);
        this.#failedAt.delete(record.id);
        this.#unsaved.delete(record.id);
        this.#onDone();
      },
      (error: unknown) => {
        this.#tasks.delete(record.id);
        this.#failedAt.set(record.id, this.#clock());
        const unsaved = error instanceof DataUnsaved ? error : null;
        if (unsaved !== null) this.#unsaved.add(record.id);
        else this.#unsaved.delete(record.id);
        // The attempt is repeated often, so an error that is already reported is only logged at debug level.
        const level = unsaved?.isReported === true ? 'debug' : 'error';
        log[level]({ err: error, service: record.id }, 'an action failed');
      },
    );
    this.#tasks.set(record.id, task);
  }

  /**
   * Begins the stop of a service if it is marked as stopping. Does nothing while another action is in progress for
   * the service, while its node is unreachable, or within 1 s after a failed attempt. Call it in every round.
   */
  endIfStopping(record: ServiceRecord): void {
    if (record.stopping === null || this.#tasks.has(record.id) || this.#isSilent(record.node)) return;
    if (this.#clock() - (this.#failedAt.get(record.id) ?? -Infinity) < TRY_AGAIN_MS) return;
    this.begin(record, async () => {
      await endService(record, this.#killed.has(record.id), this.#context);
      this.#killed.delete(record.id);
    });
  }

  #isSilent(id: ServiceRecord['node']): boolean {
    const node = id === null ? undefined : this.#context.registry.nodes().find((one) => one.id === id);
    return node !== undefined && node.silentSince !== null;
  }

  /**
   * Makes the stop of a service a kill, without time to save. If an action is in progress for the service, kills it
   * at once; otherwise the next {@link endIfStopping} kills it. A failed kill is only logged.
   */
  kill(record: ServiceRecord): void {
    this.#killed.add(record.id);
    this.#failedAt.delete(record.id);
    if (record.node === null || !this.#tasks.has(record.id)) return;
    const ended = this.#context.runtimeOf(record.node).stop(record.id, { graceMs: 0 });
    ended.catch((error: unknown) =>
      this.#context.log.warn({ err: error, service: record.id }, 'kill failed'),
    );
  }

  /** Removes data about services that are no longer stopping: they have exited, or were requested again. */
  forgetEnds(): void {
    for (const failures of [this.#failedAt, this.#unsaved])
      for (const id of failures.keys()) if (this.#context.records.get(id) === undefined) failures.delete(id);
    for (const id of this.#killed) {
      const stopping = this.#context.records.get(id)?.stopping ?? null;
      if (stopping === null) this.#killed.delete(id);
    }
  }
}
