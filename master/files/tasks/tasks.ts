import { OverworldError } from '#shared/errors/overworld-error.ts';
import { roles, type Role } from '#shared/model/access/role.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { Progress } from './progress.ts';

/** Maximum number of tasks of one connection. It permits a user to compare, search and copy at the same time. */
const MAX_PER_CONNECTION = 4;

/** Maximum number of tasks of one SSH key, over all connections that use the key. */
const MAX_PER_KEY = 6;

/**
 * Maximum number of tasks that all connections with a role, or with a role of fewer rights, may run at the same time.
 * Each task occupies a thread of the file system's pool. The difference to the next role's limit is reserved for
 * roles with more rights.
 */
const MAX_UP_TO: Readonly<Record<Role, number>> = { files: 5, viewer: 5, operator: 10, owner: 12 };

/** Part of the error message that says which limit was reached, by role. */
const WHOSE: Readonly<Record<Role, string>> = {
  files: 'of all viewers ',
  viewer: 'of all viewers ',
  operator: 'of all operators and viewers ',
  owner: '',
};

/** The connection that started a task. The connection receives the progress, and its closing cancels the task. */
export interface TaskOwner {
  /** Name of the connection's SSH key. */
  readonly name: string;
  readonly role: Role;
  notify(name: 'files.progress', params: Notification<'files.progress'>): void;
  onClose(listener: () => void): void;
}

/** The objects that a task gets: the signal that cancels it, and the counter of its progress. */
export interface Work {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Returns the work without reports of progress, for a step whose files an earlier step has already counted. */
export function withoutProgress({ signal }: Work): Work {
  return { signal, progress: new Progress(() => undefined) };
}

/**
 * Runs long file operations (tasks) for users and limits their number. A task can be cancelled, and is cancelled when
 * its connection is closed.
 */
export class Tasks {
  /** Owner of each running task, one entry per task. */
  readonly #busy: TaskOwner[] = [];
  readonly #running = new Map<TaskOwner, Map<string, AbortController>>();

  /**
   * Runs a task.
   *
   * @param about `id`: chosen by the caller; `what`: description for users, as the beginning of a sentence
   * @throws OverworldError TOO_MANY, PARAMS_INVALID (the id is in use), TASK_CANCELLED; whatever `work` throws
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
    this.#requirePlace(owner);
    const abort = new AbortController();
    const { signal } = abort;
    tasks.set(id, abort);
    this.#busy.push(owner);
    const progress = new Progress((report) => owner.notify('files.progress', { task: id, ...report }));
    try {
      return await work({ signal, progress });
    } catch (error) {
      if (signal.aborted) throw new OverworldError('TASK_CANCELLED', { task: what }, error);
      throw error;
    } finally {
      tasks.delete(id);
      this.#busy.splice(this.#busy.indexOf(owner), 1);
    }
  }

  /** Cancels a task. Does nothing if the task does not exist. */
  cancel(owner: TaskOwner, id: string): void {
    this.#running.get(owner)?.get(id)?.abort();
  }

  /**
   * Checks that the owner may run another task.
   *
   * @throws OverworldError TOO_MANY, which names the limit that was reached
   */
  #requirePlace(owner: TaskOwner): void {
    const rank = roles.indexOf(owner.role);
    const bounds = [
      { whose: 'of one connection ', limit: MAX_PER_CONNECTION, counts: (one: TaskOwner) => one === owner },
      { whose: 'of one key ', limit: MAX_PER_KEY, counts: ({ name }: TaskOwner) => name === owner.name },
      ...roles.slice(rank).map((role) => ({
        whose: WHOSE[role],
        limit: MAX_UP_TO[role],
        counts: (one: TaskOwner) => roles.indexOf(one.role) <= roles.indexOf(role),
      })),
    ];
    for (const { whose, limit, counts } of bounds) {
      if (this.#busy.filter(counts).length < limit) continue;
      throw new OverworldError('TOO_MANY', {
        what: `searches, comparisons and copies ${whose}at a time`,
        limit,
      });
    }
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
