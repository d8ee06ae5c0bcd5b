import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { throttle } from '../queue/throttle.ts';

/** News of one piece of work reach the window at most this often, in ms. */
const TELL_EVERY_MS = 100;

/** How a long operation tells what it has done, and hears that it is to end. */
export interface Steps {
  /** Aborted when it was cancelled; what is done by then stays. */
  readonly signal: AbortSignal;
  /** One more entry is done. */
  readonly done: () => void;
  /** So many bytes of one have passed. */
  readonly moved: (bytes: number) => void;
  /** All that is to come was counted. */
  readonly expect: (total: { readonly files: number; readonly bytes: number }) => void;
}

/** For operations that nobody watches. */
export const UNWATCHED: Steps = {
  signal: new AbortController().signal,
  done: () => undefined,
  moved: () => undefined,
  expect: () => undefined,
};

/** Long operations over SFTP that the window shows with their progress, under the id it gave them. */
export class FileTasks {
  readonly #running = new Map<string, AbortController>();
  readonly #tell: (progress: Notification<'files.progress'>) => void;

  constructor(tell: (progress: Notification<'files.progress'>) => void) {
    this.#tell = tell;
  }

  /**
   * @param task id of the window's; undefined: nobody watches
   * @param what for the error of a cancelled one: "The deletion"
   * @throws OverworldError TASK_CANCELLED, or what the work throws
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
    const progress = new TaskProgress((counts) => this.#tell({ task, ...counts }));
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

  /** Ends one. @returns false when there is none of that id here */
  cancel(task: string): boolean {
    const running = this.#running.get(task);
    running?.abort();
    return running !== undefined;
  }
}

type Counts = Omit<Notification<'files.progress'>, 'task'>;

/** Counts one piece of work, and tells it not too often. */
class TaskProgress implements Omit<Steps, 'signal'> {
  readonly #done = { files: 0, bytes: 0 };
  readonly #tell: () => void;
  #total: { readonly files: number | null; readonly bytes: number | null } = { files: null, bytes: null };

  constructor(tell: (counts: Counts) => void) {
    this.#tell = throttle(
      () => {
        const { files, bytes } = this.#done;
        const total = this.#total;
        tell({ files: { done: files, total: total.files }, bytes: { done: bytes, total: total.bytes } });
      },
      () => TELL_EVERY_MS,
    );
  }

  readonly done = (): void => {
    this.#done.files += 1;
    this.#tell();
  };

  readonly moved = (bytes: number): void => {
    this.#done.bytes += bytes;
    this.#tell();
  };

  readonly expect = (total: { readonly files: number; readonly bytes: number }): void => {
    this.#total = total;
    this.#tell();
  };
}
