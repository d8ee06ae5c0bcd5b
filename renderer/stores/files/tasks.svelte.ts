import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { call, subscribe } from '../../bridge/bridge.ts';

/** Work that is done sooner is not shown at all: what flashes up only worries people. */
const SHOWN_AFTER_MS = 1000;
/** Ended ones that are kept to be read. */
const KEPT = 20;

type Progress = Pick<Notification<'files.progress'>, 'files' | 'bytes'>;

/** A long piece of work, on the master or in the main process. */
export interface Task {
  readonly id: string;
  /** What it does, in words: "Copying 3 files to arena". */
  readonly label: string;
  readonly state: 'running' | 'cancelling' | 'done' | 'failed';
  readonly beganAt: number;
  readonly endedAt: number | null;
  /** Null until the first news. */
  readonly progress: Progress | null;
  readonly error: OverworldError | null;
  /** It has taken long enough to be worth a look, or has failed. */
  readonly shown: boolean;
  readonly cancellable: boolean;
}

interface TaskOptions {
  /** Ends it. Without one it cannot be cancelled. */
  readonly cancel?: (() => Promise<unknown>) | undefined;
}

/** Long pieces of work under way, for the title bar: what runs, how far it has come, and what went wrong. */
class Tasks {
  list = $state.raw<readonly Task[]>([]);
  /** Those worth showing, oldest first. */
  readonly shown: readonly Task[] = $derived(this.list.filter(({ shown }) => shown));
  readonly running: readonly Task[] = $derived(this.shown.filter(({ endedAt }) => endedAt === null));
  readonly #cancels = new Map<string, () => Promise<unknown>>();

  /** Hears how far the master's work has come. @returns stops hearing */
  readonly connect = (): (() => void) =>
    subscribe('notification', (notification) => {
      if (notification.name !== 'files.progress') return;
      const { task, ...progress } = notification.params;
      this.#change(task, { progress });
    });

  /**
   * Runs a piece of work of the master that is known by a task id (`files.copy`, `files.search` …), and shows it while it
   * takes longer than a second. Its failure is thrown on, and kept in the list.
   *
   * @param label what it does, in words
   * @param work gets the id to pass on as `task`
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

  /** Begins to show a piece of work. One of the master is cancelled by `files.cancel`, unless `cancel` says how. */
  readonly begin = (
    label: string,
    id: string,
    { cancel = () => call('files.cancel', { task: id }) }: TaskOptions = {},
  ): void => {
    const task: Task = {
      ...{ id, label, state: 'running', beganAt: Date.now(), endedAt: null },
      ...{ progress: null, error: null, shown: false, cancellable: true },
    };
    this.#cancels.set(id, cancel);
    this.list = [...this.list, task];
    setTimeout(() => {
      if (this.#get(id)?.endedAt === null) this.#change(id, { shown: true });
    }, SHOWN_AFTER_MS);
  };

  /** It is through. */
  readonly end = (id: string): void => this.#settle(id, { state: 'done' });

  /** It has failed; one that a person has cancelled has not. */
  readonly fail = (id: string, error: OverworldError): void => {
    if (error.code === 'TASK_CANCELLED') this.forget(id);
    else this.#settle(id, { state: 'failed', error, shown: true });
  };

  /** Asks for its end. @throws OverworldError */
  readonly cancel = async (id: string): Promise<void> => {
    this.#change(id, { state: 'cancelling' });
    await this.#cancels.get(id)?.();
  };

  readonly forget = (id: string): void => {
    this.#cancels.delete(id);
    this.list = this.list.filter((task) => task.id !== id);
  };

  /** Forgets all that have ended. */
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
