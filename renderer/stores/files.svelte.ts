import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ConflictChoice, RemoteEntry, Transfer, TransferPlan } from '#shared/ipc/contract.ts';
import { planDrop, request, subscribe } from '../bridge/bridge.ts';
import { link } from './link.svelte.ts';
import { onStale } from './live.ts';
import { Refresher } from './refresher.ts';
import { isUnderWay } from '../view/transfer.ts';
import { transfers } from './transfers.svelte.ts';

/** One folder on the master, kept fresh while a screen shows it. */
export class Folder {
  path = $state('/');
  /** What is in it, as last read; null until then. */
  entries = $state.raw<readonly RemoteEntry[] | null>(null);
  readAt = $state<number | null>(null);
  loading = $state(false);
  error = $state.raw<OverworldError | null>(null);

  readonly #refresher = new Refresher<{ path: string; entries: readonly RemoteEntry[] }>({
    fetch: async () => {
      const path = this.path;
      return { path, entries: await request('files.list', { folder: path }) };
    },
    apply: ({ path, entries }) => {
      if (path !== this.path) return;
      this.entries = entries;
      this.readAt = Date.now();
    },
    onstate: ({ loading, error }) => {
      this.loading = loading;
      if (!loading) this.error = error;
    },
  });

  /** Goes to a folder and reads it. The one shown now is read again by {@link refresh}. */
  readonly open = (path: string): void => {
    if (path === this.path && this.entries !== null) return;
    this.path = path;
    this.entries = null;
    this.error = null;
    this.#refresher.reset();
    void this.#refresher.refresh();
  };

  readonly refresh = (): Promise<void> => this.#refresher.refresh();

  /** Reads it again after each transfer into it, each change of a template's files and each new connection. @returns stops it */
  readonly connect = (): (() => void) => {
    let ended = endedInto(transfers.list, this.path);
    const stops = [
      this.#refresher.connect(),
      link.onConnected(() => {
        this.#refresher.reset();
        void this.#refresher.refresh();
      }),
      onStale((topics) => {
        if (topics.includes('templates')) this.#refresher.stale();
      }),
      subscribe('transfers', (list) => {
        const now = endedInto(list, this.path);
        if (now !== ended) this.#refresher.stale();
        ended = now;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };

  readonly makeFolder = async (path: string): Promise<void> => {
    await this.#thenRefresh(request('files.makeFolder', { path }));
  };

  readonly rename = async (from: string, to: string): Promise<void> => {
    await this.#thenRefresh(request('files.rename', { from, to }));
  };

  /** Deletes entries, folders with all that is in them. */
  readonly remove = async (paths: readonly string[]): Promise<void> => {
    await this.#thenRefresh(request('files.delete', { paths: [...paths] }));
  };

  /** The list is read again whether it worked or not: when it did not, the list is probably old. */
  async #thenRefresh(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } finally {
      await this.refresh();
    }
  }
}

/** Names the uploads into a folder (or below it) that have ended, so that a new one is noticed. */
function endedInto(list: readonly Transfer[], folder: string): string {
  return list
    .filter((transfer) => transfer.direction === 'upload' && !isUnderWay(transfer))
    .filter(({ remotePath }) => remotePath.startsWith(folder))
    .map(({ id, state }) => `${id}:${state}`)
    .join();
}

/** A planned transfer that waits for a decision about names that exist already. */
export interface Question {
  readonly plan: string;
  readonly direction: 'upload' | 'download';
  readonly files: number;
  readonly bytes: number;
  readonly conflicts: TransferPlan['conflicts'];
}

/** From choosing files to the running transfer, with the question in between when names exist already. */
class TransferPlans {
  /** Waits for an answer of the person; null when there is nothing to ask. */
  question = $state.raw<Question | null>(null);
  /** Why the last plan could not be made or begun. */
  error = $state.raw<OverworldError | null>(null);
  /** A plan is being made: files are counted, or the system's dialog is open. */
  planning = $state(false);

  readonly uploadPicked = (folder: string, what: 'files' | 'folder'): Promise<void> =>
    this.#begin('upload', () => request('files.pickUpload', { folder, what }));

  readonly uploadDropped = (folder: string, files: readonly File[]): Promise<void> =>
    this.#begin('upload', () => planDrop(folder, files));

  readonly uploadPracticeServer = (folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planPracticeServer', { folder }));

  readonly download = (paths: readonly string[]): Promise<void> =>
    this.#begin('download', () => request('files.pickDownload', { paths: [...paths] }));

  /** Answers the question: begins the transfer so. */
  readonly answer = async (choice: ConflictChoice): Promise<void> => {
    const { question } = this;
    this.question = null;
    if (question !== null) await this.#start(question.plan, choice);
  };

  /** Nothing is transferred; the plan is forgotten by the main process in time. */
  readonly cancel = (): void => {
    this.question = null;
  };

  readonly dismissError = (): void => {
    this.error = null;
  };

  async #begin(direction: Question['direction'], makePlan: () => Promise<TransferPlan>): Promise<void> {
    this.planning = true;
    this.error = null;
    try {
      const { plan, files, bytes, conflicts } = await makePlan();
      if (plan === null) return;
      if (conflicts.length > 0) this.question = { plan, direction, files, bytes, conflicts };
      else await this.#start(plan, 'overwrite');
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.planning = false;
    }
  }

  async #start(plan: string, choice: ConflictChoice): Promise<void> {
    try {
      await transfers.start(plan, choice);
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    }
  }
}

export const transferPlans = new TransferPlans();
