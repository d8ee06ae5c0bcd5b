import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ConflictChoice, TransferPlan } from '#shared/ipc/contract.ts';
import { planDrop, request } from '../../bridge/bridge.ts';
import { transfers } from './transfers.svelte.ts';

export type Conflict = TransferPlan['conflicts'][number];

/** A planned transfer that waits for a decision about names that already exist. */
export interface Question {
  readonly plan: string;
  readonly direction: 'upload' | 'download';
  /** Whether the source is removed after the copy was compared with it. */
  readonly move: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly conflicts: readonly Conflict[];
}

/** Plans and starts transfers of chosen files. If names already exist at the destination, shows a question first. */
class TransferPlans {
  /** The questions that wait for an answer, oldest first. They are shown one after the other. */
  #questions = $state.raw<readonly Question[]>([]);
  /** The question to show. Null if there is none. */
  readonly question: Question | null = $derived(this.#questions[0] ?? null);
  /** Why the last plan could not be made or started. Null if there was no error. */
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

  /** Uploads files of this computer. The files must be in a place, a folder that the window may access. */
  readonly upload = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin('upload', () => request('files.planUpload', { folder, localPaths: [...localPaths] }));

  /**
   * Uploads files from a place of this computer. Moves each file to the trash after it was compared with its copy.
   */
  readonly moveUp = (localPaths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'upload',
      () => request('files.planUpload', { folder, localPaths: [...localPaths], move: true }),
      true,
    );

  /** Downloads files to a folder in a place of this computer. */
  readonly download = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin('download', () => request('files.planDownload', { paths: [...paths], folder }));

  /** Downloads files to a place. Deletes each file on the master after it was compared with its copy. */
  readonly moveDown = (paths: readonly string[], folder: string): Promise<void> =>
    this.#begin(
      'download',
      () => request('files.planDownload', { paths: [...paths], folder, move: true }),
      true,
    );

  /** Downloads files to a folder that the person chooses in the system's dialog. */
  readonly downloadPicked = (paths: readonly string[]): Promise<void> =>
    this.#begin('download', () => request('files.pickDownload', { paths: [...paths] }));

  /** Starts the transfer of a question with a choice for each existing name. */
  readonly answer = async (
    question: Question,
    each: Readonly<Record<string, ConflictChoice>>,
  ): Promise<void> => {
    this.cancel(question);
    // `each` contains a choice for every name of the question. Names that have appeared since then are skipped.
    await this.#start(question.plan, 'skip', { ...each });
  };

  /** Closes a question without a transfer. The plan expires in the main process. */
  readonly cancel = (question: Question): void => {
    this.#questions = this.#questions.filter((other) => other !== question);
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
      if (conflicts.length > 0)
        this.#questions = [...this.#questions, { plan, direction, move, files, bytes, conflicts }];
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
