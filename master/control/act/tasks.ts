import type { ServiceId } from '#shared/model/service.ts';
import type { Parts } from '../parts.ts';
import type { ServiceRecord } from '../records.ts';
import { endService } from './stop.ts';

/** Starts and stops that are under way, beside the rounds: at most one for each service. */
export class ServiceTasks {
  readonly #parts: Parts;
  readonly #onDone: () => void;
  readonly #tasks = new Map<ServiceId, Promise<void>>();
  /** To be ended without time to save. */
  readonly #killed = new Set<ServiceId>();

  /** @param onDone called when one has ended, however it did */
  constructor(parts: Parts, onDone: () => void) {
    this.#parts = parts;
    this.#onDone = onDone;
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
    const task = work()
      .catch((error: unknown) => log.error({ err: error, service: record.id }, 'an action failed'))
      .finally(() => {
        this.#tasks.delete(record.id);
        this.#onDone();
      });
    this.#tasks.set(record.id, task);
  }

  /**
   * Begins the end of a service that is to end, unless something is under way for it, or its node cannot be reached: it
   * ends when that is possible, or with its node.
   */
  endIfStopping(record: ServiceRecord): void {
    if (record.stopping === null || this.#tasks.has(record.id) || this.#isSilent(record.node)) return;
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
    if (record.node === null || !this.#tasks.has(record.id)) return;
    const ended = this.#parts.runtimeOf(record.node).stop(record.id, { graceMs: 0 });
    ended.catch((error: unknown) => this.#parts.log.warn({ err: error, service: record.id }, 'kill failed'));
  }

  /** Forgets kills of services that are not to end any more: they have ended, and come back. */
  forgetKills(): void {
    for (const id of this.#killed) {
      const stopping = this.#parts.records.get(id)?.stopping ?? null;
      if (stopping === null) this.#killed.delete(id);
    }
  }
}
