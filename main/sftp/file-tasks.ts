import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { throttle } from './throttle.ts';

/** News of one piece of work reach the window at most this often, in ms. */
const TELL_EVERY_MS = 100;

/** How a long operation tells what it has done, and hears that it is to end. */
export interface Steps {
  /** Aborted when it was cancelled; what is done by then stays. */
  readonly signal: AbortSignal;
  /** One more entry is done. */
  readonly done: () => void;
}

/** For operations that nobody watches. */
export const UNWATCHED: Steps = { signal: new AbortController().signal, done: () => undefined };

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
    let files = 0;
    const tell = throttle(
      () => this.#tell({ task, files: { done: files, total: null }, bytes: { done: 0, total: null } }),
      () => TELL_EVERY_MS,
    );
    const done = () => {
      files += 1;
      tell();
    };
    try {
      await work({ signal: abort.signal, done });
    } catch (error) {
      if (abort.signal.aborted) throw new OverworldError('TASK_CANCELLED', { task: what }, error);
      throw error;
    } finally {
      this.#running.delete(task);
    }
  }

  /** Ends one. Fine when there is none of that id. */
  cancel(task: string): void {
    this.#running.get(task)?.abort();
  }
}
