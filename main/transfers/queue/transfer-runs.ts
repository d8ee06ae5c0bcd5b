import { toWire } from '#shared/errors/wire.ts';
import type { Log } from '../../environment/log.ts';
import { isInterrupted, type Interruption } from '../operations/interruption.ts';
import type { Leftovers } from './leftovers.ts';
import type { Sources } from '../operations/move-source.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { RemoteSession } from '../remote/remote-session.ts';
import type { TransferJobs } from './transfer-jobs.ts';
import type { TransferJournal } from './transfer-journal.ts';
import type { TransferQueue } from './transfer-queue.ts';
import { runTransfer, RunProgress } from './transfer-run.ts';

/**
 * Maximum number of consecutive interruptions of a transfer without any progress. At the next interruption, the
 * transfer fails if its master is connected, because then the connection cannot be the reason.
 */
const MAX_BREAKS = 3;

/** Everything that each run of a transfer needs. */
export interface RunContext {
  readonly session: RemoteSession;
  readonly journal: TransferJournal;
  /** Functions that compare and remove the source of a move. */
  readonly sources: Sources;
  /** Identifies this app's installation, so that an upload never resumes another installation's partial file. */
  readonly origin: string;
  readonly log: Log;
}

interface RunsOptions extends RunContext {
  readonly queue: TransferQueue;
  readonly jobs: TransferJobs;
  readonly leftovers: Leftovers;
  /** Called when the window and the journal need an update. */
  readonly onChange: () => void;
  /** Writes the current queue to disk. */
  readonly persist: () => Promise<void>;
}

interface Run {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The transfers that are running now. Updates the queue with the result of each run: done, interrupted or failed. */
export class TransferRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Returns the ids of transfers with a run, including runs that are about to finish. */
  ids(): ReadonlySet<string> {
    return new Set(this.#runs.keys());
  }

  /**
   * Starts a run of a transfer.
   *
   * @param onEnded called after the run has ended
   */
  begin(id: string, onEnded: () => void): void {
    this.#options.queue.begin(id, Date.now());
    const abort = new AbortController();
    const ended = this.#run(id, abort.signal).finally(() => {
      this.#runs.delete(id);
      onEnded();
    });
    this.#runs.set(id, { abort, ended });
  }

  /**
   * Stops the run of a transfer, if there is one.
   *
   * @param why reason to keep partial files; if omitted, they are deleted
   */
  stop(id: string, why?: Interruption): void {
    this.#runs.get(id)?.abort.abort(why);
  }

  /** Resolves when the transfer has no run. The transfer's state may change a moment earlier. */
  async ended(id: string): Promise<void> {
    await this.#runs.get(id)?.ended;
  }

  /** Stops all runs, and resolves when they have ended. @param why reason to keep partial files */
  async stopAll(why: Interruption): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { abort } of runs) abort.abort(why);
    await Promise.all(runs.map(({ ended }) => ended));
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const { queue, jobs, leftovers, session, log, persist, onChange } = this.#options;
    const [transfer, job] = [queue.get(id), jobs.get(id)];
    if (transfer === undefined || job === undefined) return;
    const progress = new RunProgress((counts) => {
      queue.progress(id, counts);
      onChange();
    });
    let files: RemoteFiles | null = null;
    try {
      files = await session.files();
      const { journal, sources, origin } = this.#options;
      const options = { journal, sources, origin, persist, log };
      await runTransfer(transfer, job, { ...options, files, signal, progress });
      progress.end();
      queue.finish(id, Date.now());
      // Partial files of an earlier version of the source are not used any more.
      await leftovers.discard(transfer, job.parts);
    } catch (error) {
      progress.end();
      // The state of a paused or suspended transfer is already set. A cancelled transfer ends when its partial files
      // are deleted.
      if (isInterrupted(signal) || queue.get(id)?.state === 'cancelling') return;
      queue.setConnection(session.connection);
      job.breaks = progress.moved ? 1 : job.breaks + 1;
      const broken = files === null || files.closed;
      if (broken && (session.connection === null || job.breaks <= MAX_BREAKS)) {
        log.info({ err: error, id }, 'a transfer was interrupted because its connection was lost');
        queue.interrupt(id, toWire(error));
      } else {
        log.warn({ err: error, id, name: transfer.name }, 'a transfer failed');
        queue.fail(id, toWire(error), Date.now());
      }
    }
  }
}
