import type { ServiceId } from '#shared/model/service.ts';
import type { ProcessObservation } from './observed-processes.ts';
import type { ProcessTable, ServiceProcess } from './process-table.ts';

/**
 * Interval at which watched processes are checked (ms). The checks detect the exit of adopted processes; the exit
 * of child processes is reported immediately.
 */
const INTERVAL_MS = 500;

export interface ProcessWatchTasks {
  /** Returns the state of a service. Null or a state other than `alive` means that the service has exited. */
  readonly observe: (id: ServiceId) => Promise<ProcessObservation | null>;
  /** Called regularly for each running service. */
  readonly tend: (id: ServiceId) => Promise<void>;
  readonly failed: (id: ServiceId, error: unknown) => void;
}

/** Detects when a service's processes have exited. Its timer does not keep the master alive. */
export class ProcessWatch {
  readonly #table: ProcessTable;
  readonly #tasks: ProcessWatchTasks;
  readonly #watched = new Map<ServiceId, readonly ServiceProcess[]>();
  readonly #listeners = new Set<(id: ServiceId) => void>();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(table: ProcessTable, tasks: ProcessWatchTasks) {
    this.#table = table;
    this.#tasks = tasks;
  }

  /** Reports whether a service is watched: it was added, and its exit was not detected yet. */
  has(id: ServiceId): boolean {
    return this.#watched.has(id);
  }

  /** Watches a service, whose processes are then checked every 500 ms. */
  add(id: ServiceId, processes: readonly ServiceProcess[]): void {
    this.#watched.set(id, processes);
    this.#schedule();
  }

  /** Checks one service immediately, for example after a child process has exited. */
  async check(id: ServiceId): Promise<void> {
    if (!this.#watched.has(id)) return;
    try {
      const observation = await this.#tasks.observe(id);
      if (observation?.state === 'alive') {
        if (this.#watched.has(id)) this.#watched.set(id, observation.processes);
      } else if (this.#watched.delete(id)) {
        for (const listener of [...this.#listeners]) listener(id);
      }
    } catch (error) {
      this.#tasks.failed(id, error);
    }
  }

  /** Subscribes to exits of services. @returns a function that unsubscribes */
  onExit(listener: (id: ServiceId) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops watching. Listeners are no longer called. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#watched.clear();
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#closed || this.#watched.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#round().finally(() => {
        this.#timer = null;
        this.#schedule();
      });
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    for (const [id, processes] of [...this.#watched]) {
      try {
        const left = await this.#table.stillAlive(processes);
        if (left.length === 0 || left.length < processes.length) await this.check(id);
        else await this.#tasks.tend(id);
      } catch (error) {
        this.#tasks.failed(id, error);
      }
    }
  }
}
