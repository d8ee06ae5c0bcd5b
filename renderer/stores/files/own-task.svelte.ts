import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { tasks, type Task } from './tasks.svelte.ts';

/** One long piece of work on the master that a dialog or page stands for: the newest counts, an older one is cancelled. */
export class OwnTask {
  running = $state(false);
  error = $state.raw<OverworldError | null>(null);
  #id = $state<string | null>(null);

  /** How far it has come; null until the first news. */
  get progress(): Task['progress'] {
    return tasks.list.find(({ id }) => id === this.#id)?.progress ?? null;
  }

  /**
   * Does it; what ran before is cancelled.
   *
   * @param label what it does, in words
   * @param work gets the id to pass on as `task`
   * @returns null when it was cancelled, or failed: `error` says why then
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

  /** Ends what runs; nothing runs: fine. */
  readonly cancel = async (): Promise<void> => {
    const id = this.#id;
    if (id === null) return;
    this.#id = null;
    this.running = false;
    // When it cannot be told, the connection is gone, and the work with it.
    await tasks.cancel(id).catch(() => undefined);
  };
}
