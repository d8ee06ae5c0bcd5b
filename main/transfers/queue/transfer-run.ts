import type { Transfer } from '#shared/ipc/contract.ts';
import type { Log } from '../../environment/log.ts';
import { copyChosen } from '../operations/copy-chosen.ts';
import { copyTree, type TreeCopy, type TreeTotals } from '../operations/copy-tree.ts';
import { compareMoved, removeSource, type Sources } from '../operations/move-source.ts';
import { requireTwoEntries } from '../operations/same-entry.ts';
import { SpeedMeter } from './speed.ts';
import type { TransferJob } from './transfer-jobs.ts';
import type { ChosenFile } from '../operations/chosen-file.ts';
import type { TransferJournal } from './transfer-journal.ts';
import type { TreeFile } from '../operations/tree.ts';

/** Interval of progress reports while no data arrives (ms), so that the speed of a stalled transfer falls to 0. */
const LOOK_EVERY_MS = 500;

/** Minimum time between two progress reports (ms), because thousands of pieces may arrive per second. */
const REPORT_INTERVAL_MS = 50;

type Progress = Pick<Transfer, 'step' | 'files' | 'bytes' | 'bytesPerSecond' | 'remainingMs' | 'skipped'>;

/**
 * Progress of one run of a transfer. Reports nothing until the totals are known, so that the displayed progress of
 * a later run does not start at 0 again.
 */
export class RunProgress {
  readonly #onReport: (progress: Progress) => void;
  readonly #speed = new SpeedMeter(Date.now());
  readonly #ticker: NodeJS.Timeout;
  readonly #done = { files: 0, bytes: 0 };
  #total: TreeTotals | null = null;
  #moved = false;
  #reportedAt = 0;
  #step: Transfer['step'] = 'copying';

  constructor(report: (progress: Progress) => void) {
    this.#onReport = report;
    this.#ticker = setInterval(() => this.#report(), LOOK_EVERY_MS);
  }

  /** Whether this run has made progress: new bytes have arrived, or a file was completed or removed. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Called when the totals are known. Counts what an earlier run has already copied. */
  onTotal(total: TreeTotals): void {
    this.#total = total;
    this.#done.files += total.arrived.files;
    this.#done.bytes += total.arrived.bytes;
    this.#report();
  }

  /** Called when everything is copied and the comparison starts. */
  onComparing(): void {
    this.#step = 'comparing';
    this.#report();
  }

  /** Called when the removal of the source starts. From then on, the progress counts removed files. */
  onRemoving(list: readonly ChosenFile[]): void {
    const bytes = list.reduce((sum, { source }) => sum + source.bytes, 0);
    const { skipped = 0, arrived = { files: 0, bytes: 0 } } = this.#total ?? {};
    this.#step = 'removing';
    this.#total = { files: list.length, bytes, skipped, arrived };
    Object.assign(this.#done, { files: 0, bytes });
    this.#report();
  }

  /** Called with the number of files that were removed from the source. */
  onRemoved(files: number): void {
    this.#done.files += files;
    this.#moved = true;
    if (Date.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.#report();
  }

  /**
   * Counts bytes.
   *
   * @param sent false for bytes that an earlier run has transferred; they do not count towards the speed
   */
  onBytes(bytes: number, sent = true): void {
    this.#done.bytes += bytes;
    if (sent && bytes > 0) {
      this.#moved = true;
      this.#speed.add(bytes, Date.now());
    }
    if (Date.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.#report();
  }

  /**
   * Called when a file is complete or was skipped. Corrects the totals, because the file may have changed since they
   * were counted.
   *
   * @param bytes counted size of the file
   * @param copied size of the copied file (bytes); null if the file was skipped
   */
  onFile({ bytes }: Pick<TreeFile, 'bytes'>, copied: number | null): void {
    if (copied !== null) this.#done.files += 1;
    this.#moved = true;
    if (this.#total !== null && copied !== bytes) {
      const { files, skipped, ...total } = this.#total;
      const isSkipped = copied === null ? 1 : 0;
      this.#total = {
        ...total,
        bytes: total.bytes + (copied ?? 0) - bytes,
        files: files - isSkipped,
        skipped: skipped + isSkipped,
      };
    }
    if (Date.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.#report();
  }

  /** Reports the final counts and stops the periodic reports. */
  end(): void {
    clearInterval(this.#ticker);
    this.#report();
  }

  #report(): void {
    const total = this.#total;
    if (total === null) return;
    this.#reportedAt = Date.now();
    const bytesPerSecond = this.#speed.bytesPerSecond(Date.now());
    const left = Math.max(0, total.bytes - this.#done.bytes);
    this.#onReport({
      step: this.#step,
      files: { done: this.#done.files, total: total.files },
      bytes: { done: this.#done.bytes, total: total.bytes },
      bytesPerSecond,
      remainingMs: bytesPerSecond > 0 ? Math.round((left / bytesPerSecond) * 1000) : null,
      skipped: total.skipped,
    });
  }
}

interface RunOptions extends Pick<TreeCopy, 'files' | 'signal' | 'origin'> {
  readonly progress: RunProgress;
  readonly journal: TransferJournal;
  readonly sources: Sources;
  /** Writes the queue to disk. A move calls it in its step `removing`, before it removes anything. */
  readonly persist: () => Promise<void>;
  readonly log: Log;
}

/**
 * Carries out a transfer.
 *
 * @throws what copyTree, copyChosen, compareMoved and removeSource throw
 */
export async function runTransfer(transfer: Transfer, job: TransferJob, options: RunOptions): Promise<void> {
  const { id, direction, localPath, remotePath } = transfer;
  const { policy, parts, chosen, again } = job;
  const { files, signal, origin, progress, journal, log } = options;
  const equalBefore = again ? await journal.readEqual(id) : new Set<string>();
  /** Number of paths of `equalBefore` in the journal. While files are copied, paths are only removed. */
  let stored = equalBefore.size;
  const copy: TreeCopy = {
    direction,
    localPath,
    remotePath,
    policy,
    again,
    equalBefore,
    parts,
    files,
    signal,
    origin,
    onTotal: async (totals) => {
      if (!again) await journal.writeEqual(id, equalBefore);
      stored = equalBefore.size;
      // The report also writes this to the journal.
      job.again = true;
      progress.onTotal(totals);
    },
    onBytes: (bytes, sent) => progress.onBytes(bytes, sent),
    onFile: (file, copied) => progress.onFile(file, copied),
  };
  try {
    if (chosen) await copyChosen(copy, await journal.readChosen(id));
    else if (transfer.move) await move(copy, transfer, options);
    else await copyTree(copy);
  } finally {
    if (equalBefore.size !== stored) {
      await journal.writeEqual(id, equalBefore).catch((error: unknown) => {
        log.warn(
          { err: error, id },
          'the copied files could not be noted; a resumed transfer copies them again',
        );
      });
    }
  }
}

/**
 * Copies the source, compares both sides, and removes the source. If an earlier run has started the removal, only
 * continues the removal. This works even after a restart of the app, because the list of compared files is on disk.
 */
async function move(
  copy: TreeCopy,
  { id, step }: Pick<Transfer, 'id' | 'step'>,
  options: RunOptions,
): Promise<void> {
  const { progress, journal, sources, persist } = options;
  if (step !== 'removing') await journal.writeChosen(id, await copyAndCompare(copy, options));
  const list = await journal.readChosen(id);
  // From here on, the move cannot be cancelled. The step is on disk before the removal starts.
  copy.signal.throwIfAborted();
  progress.onRemoving(list);
  await persist();
  await removeSource(copy, list, {
    trash: sources.trash,
    onRemoved: (count) => progress.onRemoved(count),
  });
}

/** Copies the source of a move, and compares both sides. Returns the files that may be removed from the source. */
async function copyAndCompare(
  copy: TreeCopy,
  { progress, sources }: Pick<RunOptions, 'progress' | 'sources'>,
): Promise<ChosenFile[]> {
  // If the destination was free when the move was created, it cannot be the source.
  if (copy.policy !== 'refuse') await requireTwoEntries(copy);
  // Equal size and time are enough to skip a copy, but not to delete the only other copy.
  const policy = copy.policy === 'resume' ? 'overwrite' : copy.policy;
  const sent = await copyTree({ ...copy, policy });
  progress.onComparing();
  const { hashesOf } = sources;
  return compareMoved(copy, sent, { hashesOf, made: copy.policy === 'refuse' });
}
