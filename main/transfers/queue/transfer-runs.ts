import { toWire } from '#shared/errors/wire.ts';
import type { Log } from '../../log.ts';
import { isInterrupted, type Interruption } from './interruption.ts';
import type { Leftovers } from './leftovers.ts';
import type { Sources } from '../operations/move-source.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { RemoteSession } from '../remote/remote-session.ts';
import type { TransferJobs } from './transfer-jobs.ts';
import type { TransferJournal } from './transfer-journal.ts';
import type { TransferQueue } from './transfer-queue.ts';
import { carryOut, RunProgress } from './transfer-run.ts';

/** A transfer may break off this often in a row before anything has arrived: then the connection is not the reason. */
const MAX_BREAKS = 3;

/** What each run of a transfer needs, whoever begins it. */
export interface RunContext {
  readonly session: RemoteSession;
  readonly journal: TransferJournal;
  /** For moves: how a source is compared and taken away. */
  readonly sources: Sources;
  /** Names this app's installation: parts of other people's uploads are left alone. */
  readonly origin: string;
  readonly log: Log;
}

interface RunsOptions extends RunContext {
  readonly queue: TransferQueue;
  readonly jobs: TransferJobs;
  readonly leftovers: Leftovers;
  /** Something is to be told and noted. */
  readonly onChange: () => void;
  /** Puts the queue on disk as it is now. */
  readonly persist: () => Promise<void>;
}

interface Run {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The transfers that are being carried out now. Says in the queue how each run has gone: at its end, broken off, or failed. */
export class TransferRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Ids of those that have a run, also one that stands still in a moment. */
  ids(): ReadonlySet<string> {
    return new Set(this.#runs.keys());
  }

  /** @param onEnded called once its run is forgotten */
  begin(id: string, onEnded: () => void): void {
    this.#options.queue.begin(id, Date.now());
    const abort = new AbortController();
    const ended = this.#run(id, abort.signal).finally(() => {
      this.#runs.delete(id);
      onEnded();
    });
    this.#runs.set(id, { abort, ended });
  }

  /** Stops a run, if there is one. @param why left out: what has arrived is taken back */
  stop(id: string, why?: Interruption): void {
    this.#runs.get(id)?.abort.abort(why);
  }

  /** Resolves when a transfer has no run any more. Its state may say that it has ended a moment before. */
  async ended(id: string): Promise<void> {
    await this.#runs.get(id)?.ended;
  }

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
      const run = { journal, sources, origin, persist, files, signal, progress, again: job.again };
      job.again = true;
      onChange();
      await carryOut(transfer, job, run);
      progress.end();
      queue.finish(id, Date.now());
      // Parts of a source that was changed meanwhile are nobody's any more.
      await leftovers.discard(transfer, job.parts);
    } catch (error) {
      progress.end();
      // Held, or the app ends: its state says so already. A cancelled one ends when its parts are gone.
      if (isInterrupted(signal) || queue.get(id)?.state === 'cancelling') return;
      queue.setConnection(session.connection);
      job.breaks = progress.moved ? 1 : job.breaks + 1;
      const broken = files === null || files.closed;
      if (broken && (session.connection === null || job.breaks <= MAX_BREAKS)) {
        log.info({ err: error, id }, 'a transfer broke off with its connection');
        queue.interrupt(id, toWire(error));
      } else {
        log.warn({ err: error, id, name: transfer.name }, 'a transfer failed');
        // Tried again, a move looks at both sides anew.
        job.removing = false;
        queue.fail(id, toWire(error), Date.now());
      }
    }
  }
}
