import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { call, subscribe } from '../../bridge/bridge.ts';

/** Time after which a running task is shown (ms). A shorter task would appear only for a moment. */
const SHOWN_AFTER_MS = 1000;
/** Number of finished tasks that stay in the list. */
const KEPT = 20;

type Progress = Pick<Notification<'files.progress'>, 'files' | 'bytes'>;

/** A long task on the master or in the main process. */
export interface Task {
  readonly id: string;
  /** Description of the task: "Copying 3 files to arena". */
  readonly label: string;
  readonly state: 'running' | 'cancelling' | 'done' | 'failed';
  readonly beganAt: number;
  readonly endedAt: number | null;
  /** Progress of the task. Null until the first report. */
  readonly progress: Progress | null;
  readonly error: OverworldError | null;
  /** Whether the task is shown. A task is shown once it has run for a while or has failed. */
  readonly shown: boolean;
  readonly cancellable: boolean;
}

interface TaskOptions {
  /** Cancels the task. If absent, `files.cancel` is called with the id of the task. */
  readonly cancel?: (() => Promise<unknown>) | undefined;
}

/** Long tasks that the title bar shows: running tasks with their progress, and tasks that have failed or finished. */
class Tasks {
  list = $state.raw<readonly Task[]>([]);
  /** The tasks to show, oldest first. */
  readonly shown: readonly Task[] = $derived(this.list.filter(({ shown }) => shown));
  readonly running: readonly Task[] = $derived(this.shown.filter(({ endedAt }) => endedAt === null));
  readonly #cancels = new Map<string, () => Promise<unknown>>();

  /** Receives the progress of tasks. @returns a function that unsubscribes */
  readonly connect = (): (() => void) =>
    subscribe('notification', (notification) => {
      if (notification.name !== 'files.progress') return;
      const { task, ...progress } = notification.params;
      this.#change(task, { progress });
    });

  /**
   * Runs a request that has a task id (`files.copy`, `files.search` …). Shows the task if it takes longer than a
   * second. If the request fails, the task stays in the list, and the error is rethrown.
   *
   * @param label description of the task
   * @param work sends the request; must send the given id as `task`
   */
  readonly run = async <T>(label: string, work: (task: string) => Promise<T>): Promise<T> => {
    const id = crypto.randomUUID();
    this.begin(label, id);
    try {
      const result = await work(id);
      this.end(id);
      return result;
    } catch (thrown) {
      this.fail(id, toOverworldError(thrown));
      throw thrown;
    }
  };

  /** Adds a task that has started. Without `cancel`, the task is cancelled with `files.cancel`. */
  readonly begin = (
    label: string,
    id: string,
    { cancel = () => call('files.cancel', { task: id }) }: TaskOptions = {},
  ): void => {
    const task: Task = {
      id,
      label,
      state: 'running',
      beganAt: Date.now(),
      endedAt: null,
      progress: null,
      error: null,
      shown: false,
      cancellable: true,
    };
    this.#cancels.set(id, cancel);
    this.list = [...this.list, task];
    setTimeout(() => {
      if (this.#get(id)?.endedAt === null) this.#change(id, { shown: true });
    }, SHOWN_AFTER_MS);
  };

  /** Marks a task as finished. */
  readonly end = (id: string): void => this.#settle(id, { state: 'done' });

  /** Marks a task as failed. If a person cancelled the task, removes it from the list instead. */
  readonly fail = (id: string, error: OverworldError): void => {
    if (error.code === 'TASK_CANCELLED') this.forget(id);
    else this.#settle(id, { state: 'failed', error, shown: true });
  };

  /** Requests cancellation of a task. @throws OverworldError */
  readonly cancel = async (id: string): Promise<void> => {
    this.#change(id, { state: 'cancelling' });
    await this.#cancels.get(id)?.();
  };

  readonly forget = (id: string): void => {
    this.#cancels.delete(id);
    this.list = this.list.filter((task) => task.id !== id);
  };

  /** Removes all finished tasks. */
  readonly clear = (): void => {
    this.list = this.list.filter(({ endedAt }) => endedAt === null);
  };

  #settle(id: string, change: Partial<Task>): void {
    this.#cancels.delete(id);
    if (this.#get(id)?.shown === false && change.state === 'done') {
      this.forget(id);
      return;
    }
    this.#change(id, { ...change, endedAt: Date.now() });
    const ended = this.list.filter(({ endedAt }) => endedAt !== null);
    const old = new Set(ended.slice(0, -KEPT));
    if (old.size > 0) this.list = this.list.filter((task) => !old.has(task));
  }

  #get(id: string): Task | undefined {
    return this.list.find((task) => task.id === id);
  }

  #change(id: string, change: Partial<Task>): void {
    this.list = this.list.map((task) => (task.id === id ? { ...task, ...change } : task));
  }
}

export const tasks = new Tasks();
