import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ConflictChoice, TransferPlan } from '#shared/ipc/contract.ts';
import { planDrop, request } from '../../bridge/bridge.ts';
import { transfers } from './transfers.svelte.ts';

export type Conflict = TransferPlan['conflicts'][number];

/** A planned transfer that waits for a decision about names that exist already. */
export interface Question {
  readonly plan: string;
  readonly direction: 'upload' | 'download';
  /** What has arrived leaves its old place. */
  readonly move: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly conflicts: readonly Conflict[];
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

  readonly uploadPracticeProxy = (folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planPracticeProxy', { folder }));

  /** From a folder of this computer that the app was given. */
  readonly upload = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planUpload', { folder, localPaths: [...localPaths] }));

  /** The same, and into this computer's trash when all has arrived. */
  readonly moveUp = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'upload',
      () => request('files.planUpload', { folder, localPaths: [...localPaths], move: true }),
      true,
    );

  /** To a folder of this computer that the app was given. */
  readonly download = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin('download', () => request('files.planDownload', { paths: [...paths], folder }));

  /** The same, and deleted on the master when all has arrived. */
  readonly moveDown = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'download',
      () => request('files.planDownload', { paths: [...paths], folder, move: true }),
      true,
    );

  /** To a folder that is asked for. */
  readonly downloadPicked = (paths: readonly string[]): Promise<void> =>
    this.#begin('download', () => request('files.pickDownload', { paths: [...paths] }));

  /** Answers the question, name by name; begins the transfer so. */
  readonly answer = async (each: Readonly<Record<string, ConflictChoice>>): Promise<void> => {
    const { question } = this;
    this.question = null;
    // Each name that exists has its answer; one that appears in the meantime is left alone.
    if (question !== null) await this.#start(question.plan, 'skip', { ...each });
  };

  /** Nothing is transferred; the plan is forgotten by the main process in time. */
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
