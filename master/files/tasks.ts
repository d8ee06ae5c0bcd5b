import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { Progress } from './progress.ts';

/** Tasks of one connection at a time: a person compares, searches and copies side by side. */
const MAX_PER_CONNECTION = 4;

/** Of all connections together: each keeps a thread of the file system pool busy. */
const MAX_IN_ALL = 12;

/** The connection that a task belongs to: ends with it, and its progress goes there. */
export interface TaskOwner {
  notify(name: 'files.progress', params: Notification<'files.progress'>): void;
  onClose(listener: () => void): void;
}

/** What a task gets: when to stop, and where to say how far it is. */
export interface Work {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Long work on files that people asked for: bounded in number, to be cancelled, ended with its connection. */
export class Tasks {
  readonly #running = new Map<TaskOwner, Map<string, AbortController>>();
  #count = 0;

  /**
   * Runs a task.
   *
   * @param about `id`: chosen by the caller; `what`: for people, as the beginning of a sentence
   * @throws OverworldError TOO_MANY, PARAMS_INVALID (the id is in use), TASK_CANCELLED, and what the work throws
   */
  async run<T>(
    owner: TaskOwner,
    about: { readonly id: string; readonly what: string },
    work: (work: Work) => Promise<T>,
  ): Promise<T> {
    const { id, what } = about;
    const tasks = this.#of(owner);
    if (tasks.has(id)) {
      throw new OverworldError('PARAMS_INVALID', { method: 'files.*', why: `task ${id} is running already` });
    }
    const limit = tasks.size >= MAX_PER_CONNECTION ? MAX_PER_CONNECTION : MAX_IN_ALL;
    if (tasks.size >= MAX_PER_CONNECTION || this.#count >= MAX_IN_ALL) {
      throw new OverworldError('TOO_MANY', { what: 'searches, comparisons and copies at a time', limit });
    }
    const abort = new AbortController();
    const { signal } = abort;
    tasks.set(id, abort);
    this.#count += 1;
    const progress = new Progress((told) => owner.notify('files.progress', { task: id, ...told }));
    try {
      return await work({ signal, progress });
    } catch (error) {
      if (signal.aborted) throw new OverworldError('TASK_CANCELLED', { task: what }, error);
      throw error;
    } finally {
      tasks.delete(id);
      this.#count -= 1;
    }
  }

  /** Fine when there is no such task. */
  cancel(owner: TaskOwner, id: string): void {
    this.#running.get(owner)?.get(id)?.abort();
  }

  #of(owner: TaskOwner): Map<string, AbortController> {
    const known = this.#running.get(owner);
    if (known !== undefined) return known;
    const tasks = new Map<string, AbortController>();
    this.#running.set(owner, tasks);
    owner.onClose(() => {
      this.#running.delete(owner);
      for (const abort of tasks.values()) abort.abort();
    });
    return tasks;
  }
}
