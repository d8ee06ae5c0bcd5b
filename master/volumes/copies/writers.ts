import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { InProgress } from './in-progress.ts';

/** A file of a working copy that is open for writing, from its opening to its closing. */
export interface Hold {
  /**
   * Runs a write to the file. @throws OverworldError with the reason, if writes to the file were stopped; errors of
   * `work`
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Must be called when the file is closed. */
  release(): void;
}

/** Tracks the writes to a working copy, and can stop them, so that nothing changes while the copy becomes a save. */
export class Writers {
  readonly #running = new InProgress();
  readonly #holds = new Set<{ ended: OverworldError | null }>();
  #stopped: { readonly why: OverworldError; readonly over: Promise<void> } | null = null;

  /** Whether no write is in progress and no file is open. */
  get idle(): boolean {
    return this.#running.none && this.#holds.size === 0;
  }

  /** A promise that resolves when writes are permitted again. Null if writes are not stopped. */
  get stopped(): Promise<void> | null {
    return this.#stopped?.over ?? null;
  }

  /** Runs a write. The caller must have checked that writes are not stopped. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#running.run(work);
  }

  /** Records that a file is open for writing. */
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
   * Stops all writes. Writes in progress finish first. Files that are open cannot be written to any more.
   *
   * @param why error of later writes to these files
   * @returns a function that permits writes again, to files that are opened after that
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
