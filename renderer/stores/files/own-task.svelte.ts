import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { tasks, type Task } from './tasks.svelte.ts';

/** A long task that belongs to a dialog or page. A new task cancels the previous one. */
export class OwnTask {
  running = $state(false);
  error = $state.raw<OverworldError | null>(null);
  #id = $state<string | null>(null);

  /** Progress of the task. Null until the first report. */
  get progress(): Task['progress'] {
    return tasks.list.find(({ id }) => id === this.#id)?.progress ?? null;
  }

  /**
   * Runs a task and cancels the previous one.
   *
   * @param label description of the task
   * @param work starts the task; must send the given id as `task`
   * @returns the result of `work`; null if the task was cancelled or failed; `error` then contains the reason for a
   *   failure
   */
  readonly run = async <T>(label: string, work: (task: string) => Promise<T>): Promise<T | null> => {
    void this.cancel();
    this.running = true;
    this.error = null;
    let own: string | null = null;
    try {
      const result = await tasks.run(label, (id) => {
        own = id;
        this.#id = id;
        return work(id);
      });
      return this.#id === own ? result : null;
    } catch (thrown) {
      if (this.#id === own && !hasCode(thrown, 'TASK_CANCELLED')) this.error = toOverworldError(thrown);
      return null;
    } finally {
      if (this.#id === own) {
        this.#id = null;
        this.running = false;
      }
    }
  };

  /** Cancels the running task, if there is one. */
  readonly cancel = async (): Promise<void> => {
    const id = this.#id;
    if (id === null) return;
    this.#id = null;
    this.running = false;
    // If the request fails, the connection is lost. The task has then ended, too.
    await tasks.cancel(id).catch(() => undefined);
  };
}
