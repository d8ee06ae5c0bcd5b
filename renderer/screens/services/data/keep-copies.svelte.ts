import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { call } from '../../../bridge/bridge.ts';
import { route } from '../../../stores/app/route.svelte.ts';
import { tasks, type Task } from '../../../stores/files/tasks.svelte.ts';
import { toasts } from '../../../ui/overlay/toasts.svelte.ts';
import { toCount, toCountOf } from '../../../view/format/numbers.ts';

/** Maximum number of paths that a message names. */
const MAX_NAMED = 3;

/** A copy of a service's files that the master keeps. */
export interface StoredCopy {
  readonly id: ServiceId;
  /** Name of the copy's folder among the shared files. */
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  /** Number of files that changed while they were copied. */
  readonly changed: number;
  /** Paths that were not copied, such as links, files that were not readable, and the files of Overworld's plugin. */
  readonly skipped: readonly string[];
}

/**
 * Copies the files of services on the master, one service after the other. The title bar shows each copy as a task.
 */
export class KeepCopies {
  running = $state(false);
  done = $state.raw<readonly StoredCopy[]>([]);
  error = $state.raw<OverworldError | null>(null);
  /** Service that is copied now. */
  current = $state<ServiceId | null>(null);
  /** Whether the dialog that shows the copies is closed. Messages then report the copies and a failure. */
  hidden = false;
  #task = $state<string | null>(null);

  /** Progress of the current copy. Null until the first report. */
  get progress(): Task['progress'] {
    return tasks.list.find(({ id }) => id === this.#task)?.progress ?? null;
  }

  /**
   * Copies the files of services. The copies continue if the dialog is closed. After a failure, the remaining
   * services are not copied.
   */
  readonly run = async (ids: readonly ServiceId[]): Promise<void> => {
    this.running = true;
    this.error = null;
    this.done = [];
    try {
      for (const id of ids) {
        this.current = id;
        const kept = await tasks.run(`Keeping a copy of ${id}`, (task) => {
          this.#task = task;
          return call('services.keepCopy', { id, task });
        });
        this.done = [...this.done, { id, ...kept, changed: kept.changed.length }];
      }
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    }
    if (this.hidden) this.#report();
    this.running = false;
    this.current = null;
  };

  /** Shows messages about the copies, and about the failure of the current copy. */
  #report(): void {
    const [first] = this.done;
    if (first !== undefined) {
      const what =
        this.done.length === 1
          ? `A copy of ${first.id} is`
          : `${toCountOf(this.done.length, 'copy', 'copies')} are`;
      const show = { label: 'Show', onselect: () => showCopy(first.folder) };
      toasts.done([`${what} kept on the master.`, ...lossWords(this.done)].join(' '), show);
    }
    // A person who cancels a task in the title bar needs no message about it.
    if (this.error !== null && !hasCode(this.error, 'TASK_CANCELLED'))
      toasts.failed(new Error(`No copy of ${this.current ?? ''} is kept: ${this.error.message}`));
  }
}

/** Returns sentences about the files that are missing in copies, or are possibly inconsistent. */
export function lossWords(copies: readonly Pick<StoredCopy, 'changed' | 'skipped'>[]): readonly string[] {
  const changed = copies.reduce((sum, copy) => sum + copy.changed, 0);
  const skipped = copies.flatMap((copy) => copy.skipped);
  const more = skipped.length - MAX_NAMED;
  const named = skipped.slice(0, MAX_NAMED).join(', ');
  return [
    ...(changed === 0 ? [] : [`${toCountOf(changed, 'file')} changed during the copy.`]),
    ...(skipped.length === 0 ? [] : [`Not copied: ${named}${more > 0 ? ` and ${toCount(more)} more` : ''}.`]),
  ];
}

/** Opens the folder of a copy in the Files screen. */
export function showCopy(folder: string): void {
  route.go('files', ...folder.split('/').filter((name) => name !== ''));
}
