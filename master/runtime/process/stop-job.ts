import { monotonicMs } from '#shared/node/clock.ts';
import type { ProcessTable, ServiceProcess } from './process-table.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { signalAll } from './signals.ts';

/** Between TERM and KILL, ms, where no other time is given. */
export const TERM_TO_KILL_MS = 5000;
/** How often we look whether processes have ended while we wait for it. */
const LOOK_MS = 50;
/** A process that not even KILL ends hangs in the kernel (a dead network disk); we go on waiting, but calmly. */
const STUCK_LOOK_MS = 500;

interface StopTarget {
  /** Between TERM and KILL, ms. */
  readonly termToKillMs: number;
  readonly table: ProcessTable;
  /** All processes of the service now; empty once it is proven gone. */
  readonly find: () => Promise<readonly ServiceProcess[]>;
  /** Asks the server to end by itself. */
  readonly ask: () => Promise<void>;
}

/**
 * Ends one service: ask, TERM, KILL. It may be hurried while it runs; deadlines only ever move closer. Times are
 * monotonic, so a clock that is set does not matter.
 */
class StopJob {
  readonly #target: StopTarget;
  #termAt: number;
  #killAt: number;
  /** True when KILL was sent: nobody else then knows how it ended. */
  killed = false;
  /** Resolves when all processes are proven gone. */
  readonly done: Promise<void>;

  constructor(target: StopTarget, graceMs: number) {
    this.#target = target;
    this.#termAt = monotonicMs() + graceMs;
    this.#killAt = graceMs === 0 ? this.#termAt : this.#termAt + target.termToKillMs;
    this.done = this.#run();
  }

  /** Somebody has less patience: 0 means KILL at once. */
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

  /** Waits for the end of all processes. @returns those alive at the deadline; empty when proven gone */
  async #waitUntil(deadline: () => number): Promise<readonly ServiceProcess[]> {
    let seen = await this.#target.find();
    while (seen.length > 0 && monotonicMs() < deadline()) {
      await new Promise((resolve) => {
        // A master that ends need not wait: the next one sees what is left and goes on.
        setTimeout(resolve, Math.min(LOOK_MS, Math.max(1, deadline() - monotonicMs()))).unref();
      });
      const left = await this.#target.table.stillAlive(seen);
      // Only a full look proves that none was started meanwhile.
      if (left.length === 0) seen = await this.#target.find();
    }
    return seen.length === 0 ? seen : this.#target.find();
  }
}

export interface StopTasks {
  /** All processes of the service now; empty once it is proven gone. */
  readonly find: (id: ServiceId) => Promise<readonly ServiceProcess[]>;
  /** Asks the server to end by itself; never fails. */
  readonly ask: (id: ServiceId) => Promise<void>;
  /** It had to be killed. Runs before the stop is done. */
  readonly killed: (id: ServiceId) => Promise<void>;
}

/** Stops that are under way: one per service, whoever asks. */
export class Stops {
  readonly #table: ProcessTable;
  readonly #tasks: StopTasks;
  readonly #termToKillMs: number;
  readonly #running = new Map<ServiceId, { readonly job: StopJob; readonly done: Promise<void> }>();

  constructor(table: ProcessTable, tasks: StopTasks, termToKillMs = TERM_TO_KILL_MS) {
    this.#table = table;
    this.#tasks = tasks;
    this.#termToKillMs = termToKillMs;
  }

  has(id: ServiceId): boolean {
    return this.#running.has(id);
  }

  /**
   * Stops a service or joins the stop that is under way, making it hurry when this caller has less patience.
   *
   * @param graceMs for the server to end by itself before TERM; 0 = KILL at once
   * @returns resolves when all its processes are proven gone
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
