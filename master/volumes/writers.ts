import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { InProgress } from './in-progress.ts';

/** An open file of a working copy, from its opening to its closing. */
export interface Hold {
  /** Runs a write to the file. @throws OverworldError why the file was closed meanwhile; errors of `work` */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Must be called when the file is closed. */
  release(): void;
}

/** The writes to a working copy. They can be stopped, so that nothing changes while it becomes a save. */
export class Writers {
  readonly #running = new InProgress();
  readonly #holds = new Set<{ ended: OverworldError | null }>();
  #stopped: { readonly why: OverworldError; readonly over: Promise<void> } | null = null;

  /** Whether no write is running, and no file is open. */
  get idle(): boolean {
    return this.#running.none && this.#holds.size === 0;
  }

  /** Resolves when writes are stopped no more; null if they are not stopped. */
  get stopped(): Promise<void> | null {
    return this.#stopped?.over ?? null;
  }

  /** Runs a write. The caller has found that writes are not stopped. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#running.run(work);
  }

  /** Notes that a file is open for writing. */
  hold(): Hold {
    const hold = { ended: this.#stopped?.why ?? null };
    if (hold.ended === null) this.#holds.add(hold);
    return {
      run: async (work) => {
        if (hold.ended !== null) throw hold.ended;
        return this.#running.run(work);
      },
      release: () => this.#holds.delete(hold),
    };
  }

  /**
   * Stops all writes. Those that are running finish first; files that are open cannot be written to any more.
   *
   * @param why error of later writes to these files
   * @returns a function that permits writes to files that are opened then
   */
  async stop(why: OverworldError): Promise<() => void> {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#stopped = { why, over };
    for (const hold of this.#holds) hold.ended = why;
    this.#holds.clear();
    await this.#running.whenNone();
    return () => {
      this.#stopped = null;
      end();
    };
  }
}
