import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { Throttle } from '#shared/node/throttle.ts';

/** Minimum time between two progress messages of one task to the window (ms). */
const TELL_EVERY_MS = 100;

/** Progress and cancellation of a long operation. */
export interface Steps {
  /** Aborted when the operation is cancelled. The operation does not undo the steps that are already complete. */
  readonly signal: AbortSignal;
  /** Reports one more finished entry. */
  readonly done: () => void;
  /** Reports processed bytes of an entry. */
  readonly moved: (bytes: number) => void;
  /** Reports the total. */
  readonly expect: (total: { readonly files: number; readonly bytes: number }) => void;
}

/** Steps for an operation that reports no progress and cannot be cancelled. */
export const UNWATCHED: Steps = {
  signal: new AbortController().signal,
  done: () => undefined,
  moved: () => undefined,
  expect: () => undefined,
};

/** The running SFTP operations whose progress the window shows. The window chooses an id for each. */
export class FileTasks {
  readonly #running = new Map<string, AbortController>();
  readonly #report: (progress: Notification<'files.progress'>) => void;

  constructor(report: (progress: Notification<'files.progress'>) => void) {
    this.#report = report;
  }

  /**
   * Runs an operation as a task.
   *
   * @param task id that the window chose; undefined for an operation without progress
   * @param what subject of the error after a cancellation: "The deletion"
   * @throws OverworldError TASK_CANCELLED, or what `work` throws
   */
  async run(
    { task, what }: { readonly task: string | undefined; readonly what: string },
    work: (steps: Steps) => Promise<void>,
  ): Promise<void> {
    if (task === undefined) {
      await work(UNWATCHED);
      return;
    }
    const abort = new AbortController();
    this.#running.set(task, abort);
    const progress = new TaskProgress((counts) => this.#report({ task, ...counts }));
    try {
      const { done, moved, expect } = progress;
      await work({ signal: abort.signal, done, moved, expect });
    } catch (error) {
      if (abort.signal.aborted) throw new OverworldError('TASK_CANCELLED', { task: what }, error);
      throw error;
    } finally {
      this.#running.delete(task);
    }
  }

  /**
   * Cancels a task.
   *
   * @returns false if there is no task with that id in this process
   */
  cancel(task: string): boolean {
    const running = this.#running.get(task);
    running?.abort();
    return running !== undefined;
  }
}

type Counts = Omit<Notification<'files.progress'>, 'task'>;

/** Counts the progress of one task and reports it at a limited rate. */
class TaskProgress implements Omit<Steps, 'signal'> {
  readonly #done = { files: 0, bytes: 0 };
  readonly #throttle: Throttle;
  #total: { readonly files: number | null; readonly bytes: number | null } = { files: null, bytes: null };

  constructor(report: (counts: Counts) => void) {
    this.#throttle = new Throttle(
      () => TELL_EVERY_MS,
      () => {
        const { files, bytes } = this.#done;
        const total = this.#total;
        report({ files: { done: files, total: total.files }, bytes: { done: bytes, total: total.bytes } });
      },
    );
  }

  readonly done = (): void => {
    this.#done.files += 1;
    this.#throttle.call();
  };

  readonly moved = (bytes: number): void => {
    this.#done.bytes += bytes;
    this.#throttle.call();
  };

  readonly expect = (total: { readonly files: number; readonly bytes: number }): void => {
    this.#total = total;
    this.#throttle.call();
  };
}
