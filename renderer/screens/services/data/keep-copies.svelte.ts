import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { call } from '../../../bridge/bridge.ts';
import { route } from '../../../stores/app/route.svelte.ts';
import { tasks, type Task } from '../../../stores/files/tasks.svelte.ts';
import { toasts } from '../../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../../view/format/numbers.ts';

/** A copy of a service's files that the master keeps. */
export interface StoredCopy {
  readonly id: ServiceId;
  /** Name of the copy's folder among the shared files. */
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  /** Number of files that changed while they were copied. */
  readonly changed: number;
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
  /** Whether the dialog that shows the copies is closed. A message then reports that the copies are complete. */
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
      const [first] = this.done;
      if (first === undefined || !this.hidden) return;
      const what =
        this.done.length === 1
          ? `A copy of ${first.id} is`
          : `${toCountOf(this.done.length, 'copy', 'copies')} are`;
      toasts.done(`${what} kept on the master`, {
        label: 'Show',
        onselect: () => showCopy(first.folder),
      });
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.running = false;
      this.current = null;
    }
  };
}

/** Opens the folder of a copy in the Files screen. */
export function showCopy(folder: string): void {
  route.go('files', ...folder.split('/').filter((name) => name !== ''));
}
