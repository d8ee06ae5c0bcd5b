import { monotonicMs } from '#shared/node/clock.ts';
import type { Notification } from '#shared/rpc/contract.ts';

/**
 * Minimum interval between two progress reports of one task (ms). The contract with the app promises at most ten
 * reports per second.
 */
const INTERVAL_MS = 100;

type ProgressReport = Omit<Notification<'files.progress'>, 'task'>;

/** Counts what a task has done. Reports new counts at most once per {@link INTERVAL_MS}. */
export class Progress {
  readonly #report: (progress: ProgressReport) => void;
  #files = 0;
  #bytes = 0;
  #total: { readonly files: number; readonly bytes: number } | null = null;
  #reportedAt = -INTERVAL_MS;

  constructor(report: (progress: ProgressReport) => void) {
    this.#report = report;
  }

  /** Sets the total number of files and bytes (0 if bytes are not counted), and reports the progress immediately. */
  expect(files: number, bytes: number): void {
    this.#total = { files, bytes };
    this.#now();
  }

  /** Counts one more file. */
  file(): void {
    this.#files += 1;
    this.#soon();
  }

  /** Counts more bytes. */
  bytes(count: number): void {
    this.#bytes += count;
    this.#soon();
  }

  /** Reports progress that was counted in another process. */
  forward(progress: ProgressReport): void {
    this.#report(progress);
  }

  #soon(): void {
    if (monotonicMs() - this.#reportedAt >= INTERVAL_MS) this.#now();
  }

  #now(): void {
    this.#reportedAt = monotonicMs();
    this.#report({
      files: { done: this.#files, total: this.#total?.files ?? null },
      bytes: { done: this.#bytes, total: this.#total?.bytes ?? null },
    });
  }
}
