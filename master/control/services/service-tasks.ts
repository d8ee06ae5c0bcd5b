import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { Feed } from '../context/feed.ts';
import type { ServiceRecord } from './records.ts';
import { endService } from './stop.ts';

/** An end that failed is tried again after this time, ms: one that fails at once must not be all that a master does. */
const TRY_AGAIN_MS = 1_000;

/** Starts and stops that are under way, beside the rounds: at most one for each service. */
export class ServiceTasks {
  readonly #parts: Environment &
    Pick<NodeAccess, 'provider' | 'runtimeOf'> &
    Pick<ServiceState, 'records'> &
    Pick<IngressAccess, 'balancer'> &
    Pick<Feed, 'events'>;
  readonly #onDone: () => void;
  readonly #clock: () => number;
  readonly #tasks = new Map<ServiceId, Promise<void>>();
  /** To be ended without time to save. */
  readonly #killed = new Set<ServiceId>();
  /** When the last try to end a service failed, ms of the clock; forgotten when one succeeds, or the service is gone. */
  readonly #failedAt = new Map<ServiceId, number>();

  /**
   * @param onDone called when one has done its work; what failed waits for the next round
   * @param clock ms, one that nobody sets
   */
  constructor(
    parts: Environment &
      Pick<NodeAccess, 'provider' | 'runtimeOf'> &
      Pick<ServiceState, 'records'> &
      Pick<IngressAccess, 'balancer'> &
      Pick<Feed, 'events'>,
    onDone: () => void,
    clock: () => number = monotonicMs,
  ) {
    this.#parts = parts;
    this.#onDone = onDone;
    this.#clock = clock;
  }

  get size(): number {
    return this.#tasks.size;
  }

  has(id: ServiceId): boolean {
    return this.#tasks.has(id);
  }

  /** Services that an action works on at this moment. */
  busy(): ReadonlySet<ServiceId> {
    return new Set(this.#tasks.keys());
  }

  /** Resolves when one of those under way has ended; never while there is none. */
  async one(): Promise<void> {
    await Promise.race(this.#tasks.values());
  }

  /** Resolves when what is under way for one service has ended. */
  async of(id: ServiceId): Promise<void> {
    await this.#tasks.get(id);
  }

  begin(record: ServiceRecord, work: () => Promise<void>): void {
    const { log } = this.#parts;
    const task = work().then(
      () => {
        this.#tasks.delete(record.id);
        this.#failedAt.delete(record.id);
        this.#onDone();
      },
      (error: unknown) => {
        this.#tasks.delete(record.id);
        this.#failedAt.set(record.id, this.#clock());
        log.error({ err: error, service: record.id }, 'an action failed');
      },
    );
    this.#tasks.set(record.id, task);
  }

  /**
   * Begins the end of a service that is to end, unless something is under way for it, or its node cannot be reached: it
   * ends when that is possible, or with its node.
   */
  endIfStopping(record: ServiceRecord): void {
    if (record.stopping === null || this.#tasks.has(record.id) || this.#isSilent(record.node)) return;
    if (this.#clock() - (this.#failedAt.get(record.id) ?? -Infinity) < TRY_AGAIN_MS) return;
    this.begin(record, async () => {
      await endService(record, this.#killed.has(record.id), this.#parts);
      this.#killed.delete(record.id);
    });
  }

  #isSilent(id: ServiceRecord['node']): boolean {
    const node = id === null ? undefined : this.#parts.provider.nodes().find((one) => one.id === id);
    return node !== undefined && node.silentSince !== null;
  }

  /** From now on this service is ended without time to save, also if its stop is already under way. */
  kill(record: ServiceRecord): void {
    this.#killed.add(record.id);
    this.#failedAt.delete(record.id);
    if (record.node === null || !this.#tasks.has(record.id)) return;
    const ended = this.#parts.runtimeOf(record.node).stop(record.id, { graceMs: 0 });
    ended.catch((error: unknown) => this.#parts.log.warn({ err: error, service: record.id }, 'kill failed'));
  }

  /** Forgets what was to be done with services that are not to end any more: they have ended, or come back. */
  forgetEnds(): void {
    for (const id of this.#failedAt.keys())
      if (this.#parts.records.get(id) === undefined) this.#failedAt.delete(id);
    for (const id of this.#killed) {
      const stopping = this.#parts.records.get(id)?.stopping ?? null;
      if (stopping === null) this.#killed.delete(id);
    }
  }
}
