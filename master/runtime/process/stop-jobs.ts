import { monotonicMs } from '#shared/node/clock.ts';
import type { ProcessTable, ServiceProcess } from './process-table.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { signalAll } from './signals.ts';

/** Default time between TERM and KILL (ms). */
export const TERM_TO_KILL_MS = 5000;
/** Interval at which processes are checked for their exit (ms). */
const LOOK_MS = 50;
/**
 * Maximum interval at which processes are checked for their exit after KILL (ms). A process that survives KILL
 * hangs in the kernel, for example because of a network disk that does not respond.
 */
const STUCK_LOOK_MS = 500;

interface StopTarget {
  /** Time between TERM and KILL (ms). */
  readonly termToKillMs: number;
  readonly table: ProcessTable;
  /** Returns all current processes of the service; an empty list proves that it has exited. */
  readonly find: () => Promise<readonly ServiceProcess[]>;
  /** Sends the stop commands to the server's console. */
  readonly ask: () => Promise<void>;
}

/**
 * Stops one service in three steps: stop command, TERM, KILL. Later requests to stop the service can shorten the
 * deadlines, but not extend them. The deadlines are on the monotonic clock, so setting the system clock has no
 * effect.
 */
class StopJob {
  readonly #target: StopTarget;
  #termAt: number;
  #killAt: number;
  /** Whether KILL was sent. If true, the service could not record how it exited. */
  killed = false;
  /** Resolves when all processes have exited. */
  readonly done: Promise<void>;

  constructor(target: StopTarget, graceMs: number) {
    this.#target = target;
    this.#termAt = monotonicMs() + graceMs;
    this.#killAt = graceMs === 0 ? this.#termAt : this.#termAt + target.termToKillMs;
    this.done = this.#run();
  }

  /** Shortens the deadlines for a caller with a shorter grace period (ms); 0 means KILL immediately. */
  hurry(graceMs: number): void {
    const termAt = monotonicMs() + graceMs;
    this.#termAt = Math.min(this.#termAt, termAt);
    this.#killAt = Math.min(this.#killAt, graceMs === 0 ? termAt : termAt + this.#target.termToKillMs);
  }

  async #run(): Promise<void> {
    if (this.#termAt > monotonicMs()) await this.#target.ask();
    let alive = await this.#waitUntil(() => this.#termAt);
    if (alive.length > 0 && this.#killAt > monotonicMs()) {
      signalAll(alive, 'SIGTERM');
      alive = await this.#waitUntil(() => this.#killAt);
    }
    let pauseMs = LOOK_MS;
    while (alive.length > 0) {
      this.killed = true;
      signalAll(alive, 'SIGKILL');
      const until = monotonicMs() + pauseMs;
      alive = await this.#waitUntil(() => until);
      pauseMs = Math.min(pauseMs * 2, STUCK_LOOK_MS);
    }
  }

  /** Waits until all processes have exited. @returns those alive at the deadline; empty if all have exited */
  async #waitUntil(deadline: () => number): Promise<readonly ServiceProcess[]> {
    let seen = await this.#target.find();
    while (seen.length > 0 && monotonicMs() < deadline()) {
      await new Promise((resolve) => {
        // The timer does not keep an exiting master alive. The next master finds the remaining processes and
        // continues the stop.
        setTimeout(resolve, Math.min(LOOK_MS, Math.max(1, deadline() - monotonicMs()))).unref();
      });
      const left = await this.#target.table.stillAlive(seen);
      // Only a complete search proves that no process was started in the meantime.
      if (left.length === 0) seen = await this.#target.find();
    }
    return seen.length === 0 ? seen : this.#target.find();
  }
}

export interface StopTasks {
  /** Returns all current processes of the service; an empty list proves that it has exited. */
  readonly find: (id: ServiceId) => Promise<readonly ServiceProcess[]>;
  /** Sends the stop commands to the server's console; never rejects. */
  readonly ask: (id: ServiceId) => Promise<void>;
  /** Called after the service had to be killed, before the stop resolves. */
  readonly killed: (id: ServiceId) => Promise<void>;
}

/** Stops that are in progress, at most one per service. */
export class StopJobs {
  readonly #table: ProcessTable;
  readonly #tasks: StopTasks;
  readonly #termToKillMs: number;
  readonly #running = new Map<ServiceId, { readonly job: StopJob; readonly done: Promise<void> }>();

  constructor(table: ProcessTable, tasks: StopTasks, termToKillMs = TERM_TO_KILL_MS) {
    this.#table = table;
    this.#tasks = tasks;
    this.#termToKillMs = termToKillMs;
  }

  /** Reports whether a stop of a service is in progress. */
  has(id: ServiceId): boolean {
    return this.#running.has(id);
  }

  /**
   * Stops a service. If a stop of the service is already in progress, waits for that stop. In this case, the earlier
   * deadlines of the two calls apply.
   *
   * @param graceMs time for the server to exit on its own before TERM (ms); 0 means KILL immediately
   * @returns a promise that resolves when all processes of the service have exited
   */
  stop(id: ServiceId, graceMs: number): Promise<void> {
    const running = this.#running.get(id);
    if (running !== undefined) {
      running.job.hurry(graceMs);
      return running.done;
    }
    const { find, ask, killed } = this.#tasks;
    const target = { table: this.#table, termToKillMs: this.#termToKillMs };
    const job = new StopJob({ ...target, find: () => find(id), ask: () => ask(id) }, graceMs);
    const done = job.done
      .then(() => (job.killed ? killed(id) : undefined))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { job, done });
    return done;
  }
}
