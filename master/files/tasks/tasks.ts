import { OverworldError } from '#shared/errors/overworld-error.ts';
import { roles, type Role } from '#shared/model/role.ts';
import type { Notification } from '#shared/rpc/contract.ts';
import { Progress } from './progress.ts';

/** Tasks of one connection at a time: a person compares, searches and copies side by side. */
const MAX_PER_CONNECTION = 4;

/** Of one key over all its connections: the desks of one person. */
const MAX_PER_KEY = 6;

/**
 * Of all connections whose role is this one or a lesser one. Each task keeps a thread of the file system's pool busy, so
 * that 12 are all there may be; what viewers cannot take is kept for operators, and what those cannot take for owners.
 */
const MAX_UP_TO: Readonly<Record<Role, number>> = { files: 5, viewer: 5, operator: 10, owner: 12 };

/** Whose places are taken, for the refusal. */
const WHOSE: Readonly<Record<Role, string>> = {
  files: 'of all viewers ',
  viewer: 'of all viewers ',
  operator: 'of all operators and viewers ',
  owner: '',
};

/** The connection that a task belongs to: ends with it, and its progress goes there. */
export interface TaskOwner {
  /** Name of its key. */
  readonly name: string;
  readonly role: Role;
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
  /** The owner of each task that has not ended yet. At most as many as the limits above let in. */
  readonly #busy: TaskOwner[] = [];
  readonly #running = new Map<TaskOwner, Map<string, AbortController>>();

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
    this.#requirePlace(owner);
    const abort = new AbortController();
    const { signal } = abort;
    tasks.set(id, abort);
    this.#busy.push(owner);
    const progress = new Progress((told) => owner.notify('files.progress', { task: id, ...told }));
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

  /** Fine when there is no such task. */
  cancel(owner: TaskOwner, id: string): void {
    this.#running.get(owner)?.get(id)?.abort();
  }

  /** @throws OverworldError TOO_MANY, with whose places are taken */
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
