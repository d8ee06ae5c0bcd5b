import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ConflictChoice, TransferPlan } from '#shared/ipc/contract.ts';
import { planDrop, request } from '../../bridge/bridge.ts';
import { transfers } from './transfers.svelte.ts';

export type Conflict = TransferPlan['conflicts'][number];

/** A planned transfer that waits for a decision about names that already exist. */
export interface Question {
  readonly plan: string;
  readonly direction: 'upload' | 'download';
  /** Whether files are deleted at the source after they have arrived. */
  readonly move: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly conflicts: readonly Conflict[];
}

/** Leads from the chosen files to the running transfer, with a question if names already exist. */
class TransferPlans {
  /** The question that waits for an answer. Null if there is none. */
  question = $state.raw<Question | null>(null);
  /** Why the last plan could not be made or started. */
  error = $state.raw<OverworldError | null>(null);
  /** Whether a plan is being made: files are counted, or the system's dialog is open. */
  planning = $state(false);

  readonly uploadPicked = (folder: string, what: 'files' | 'folder'): Promise<void> =>
    this.#begin('upload', () => request('files.pickUpload', { folder, what }));

  readonly uploadDropped = (folder: string, files: readonly File[]): Promise<void> =>
    this.#begin('upload', () => planDrop(folder, files));

  readonly uploadPracticeServer = (folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planPracticeServer', { folder }));

  readonly uploadPracticeProxy = (folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planPracticeProxy', { folder }));

  /** Uploads from a folder of this computer that the app may use. */
  readonly upload = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planUpload', { folder, localPaths: [...localPaths] }));

  /** Uploads, then moves the local files to the trash once everything has arrived. */
  readonly moveUp = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'upload',
      () => request('files.planUpload', { folder, localPaths: [...localPaths], move: true }),
      true,
    );

  /** Downloads to a folder of this computer that the app may use. */
  readonly download = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin('download', () => request('files.planDownload', { paths: [...paths], folder }));

  /** Downloads, then deletes the files on the master once everything has arrived. */
  readonly moveDown = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'download',
      () => request('files.planDownload', { paths: [...paths], folder, move: true }),
      true,
    );

  /** Downloads to a folder that a person chooses. */
  readonly downloadPicked = (paths: readonly string[]): Promise<void> =>
    this.#begin('download', () => request('files.pickDownload', { paths: [...paths] }));

  /** Answers the question name by name and starts the transfer. */
  readonly answer = async (each: Readonly<Record<string, ConflictChoice>>): Promise<void> => {
    const { question } = this;
    this.question = null;
    // Each existing name has its answer. A name that appears meanwhile is skipped.
    if (question !== null) await this.#start(question.plan, 'skip', { ...each });
  };

  /** Cancels the question. The main process drops the plan after a while. */
  readonly cancel = (): void => {
    this.question = null;
  };

  readonly dismissError = (): void => {
    this.error = null;
  };

  async #begin(
    direction: Question['direction'],
    makePlan: () => Promise<TransferPlan>,
    move = false,
  ): Promise<void> {
    this.planning = true;
    this.error = null;
    try {
      const { plan, files, bytes, conflicts } = await makePlan();
      if (plan === null) return;
      if (conflicts.length > 0) this.question = { plan, direction, move, files, bytes, conflicts };
      else await this.#start(plan, 'skip', {});
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.planning = false;
    }
  }

  async #start(
    plan: string,
    onConflict: ConflictChoice,
    each: Record<string, ConflictChoice>,
  ): Promise<void> {
    try {
      await transfers.start({ plan, onConflict, each });
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    }
  }
}

export const transferPlans = new TransferPlans();
