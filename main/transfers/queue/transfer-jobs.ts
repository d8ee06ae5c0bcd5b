import type { Transfer } from '#shared/ipc/contract.ts';
import type { FilePolicy } from '../operations/file-choice.ts';
import { PartLedger } from '../operations/part.ts';
import type { StoredTransfer } from './transfer-journal.ts';

/** Data of a transfer that is not displayed. */
export interface Job {
  readonly policy: FilePolicy;
  /** Whether it copies only some files of a folder (transfer-journal.ts). */
  readonly chosen: boolean;
  readonly move: boolean;
  readonly parts: PartLedger;
  /** Whether it was started before, so that files at the destination may be its own. */
  again: boolean;
  /** Whether a move has compared everything and is removing its source. */
  removing: boolean;
  /** Number of consecutive interruptions before any byte arrived. */
  breaks: number;
}

/** The jobs of all transfers of one queue. */
export class TransferJobs {
  readonly #jobs = new Map<string, Job>();
  /** Partial files that any of them is writing to. */
  readonly #partsInUse = new Set<string>();

  add(id: string, job: Pick<Job, 'policy' | 'chosen' | 'move'>): void {
    const parts = new PartLedger(this.#partsInUse);
    this.#jobs.set(id, { ...job, again: false, removing: false, breaks: 0, parts });
  }

  restore({ transfer, parts, ...job }: StoredTransfer): void {
    const ledger = new PartLedger(this.#partsInUse, parts);
    this.#jobs.set(transfer.id, { ...job, move: transfer.move, breaks: 0, parts: ledger });
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /**
   * Removes the jobs of all other transfers.
   *
   * @returns ids and jobs of the removed ones
   */
  keepOnly(transfers: readonly Transfer[]): [string, Job][] {
    if (this.#jobs.size === transfers.length) return [];
    const known = new Set(transfers.map(({ id }) => id));
    const gone = [...this.#jobs].filter(([id]) => !known.has(id));
    for (const [id] of gone) this.#jobs.delete(id);
    return gone;
  }

  /** Returns the data for the journal. */
  data(transfers: readonly Transfer[]): StoredTransfer[] {
    return transfers.flatMap((transfer) => {
      const job = this.#jobs.get(transfer.id);
      if (job === undefined) return [];
      const { policy, again, chosen, removing, parts } = job;
      return [{ transfer, policy, again, chosen, removing, parts: parts.marks() }];
    });
  }
}
