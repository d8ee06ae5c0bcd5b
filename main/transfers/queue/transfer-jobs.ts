import type { Transfer } from '#shared/ipc/contract.ts';
import type { FilePolicy } from '../operations/conflict-policy.ts';
import { PartLedger } from '../operations/part.ts';
import type { StoredTransfer } from './transfer-journal.ts';

/** Data of a transfer that the window does not display. */
export interface TransferJob {
  readonly policy: FilePolicy;
  /** Whether the transfer copies only some files of a folder. The journal stores their list (transfer-journal.ts). */
  readonly chosen: boolean;
  readonly move: boolean;
  readonly parts: PartLedger;
  /** Whether the transfer has begun to copy files. Files at the destination may then be its own copies. */
  again: boolean;
  /** Number of interruptions since the transfer last made progress. */
  breaks: number;
}

/** The jobs of all transfers of one queue. */
export class TransferJobs {
  readonly #jobs = new Map<string, TransferJob>();
  /** Partial files to which any transfer of the queue is writing. */
  readonly #partsInUse = new Set<string>();
  /** Running deletions of partial files. */
  readonly #deletions = new Map<string, Promise<void>>();

  /** Adds the job of a new transfer. */
  add(id: string, job: Pick<TransferJob, 'policy' | 'chosen' | 'move'>): void {
    const parts = new PartLedger(this.#partsInUse, {}, this.#deletions);
    this.#jobs.set(id, { ...job, again: false, breaks: 0, parts });
  }

  /** Adds the job of a transfer that the journal has stored. */
  restore({ transfer, parts, ...job }: StoredTransfer): void {
    const ledger = new PartLedger(this.#partsInUse, parts, this.#deletions);
    this.#jobs.set(transfer.id, { ...job, move: transfer.move, breaks: 0, parts: ledger });
  }

  get(id: string): TransferJob | undefined {
    return this.#jobs.get(id);
  }

  /**
   * Removes the jobs of all transfers that are not in the list.
   *
   * @returns ids and jobs of the removed transfers
   */
  keepOnly(transfers: readonly Transfer[]): [string, TransferJob][] {
    if (this.#jobs.size === transfers.length) return [];
    const known = new Set(transfers.map(({ id }) => id));
    const gone = [...this.#jobs].filter(([id]) => !known.has(id));
    for (const [id] of gone) this.#jobs.delete(id);
    return gone;
  }

  /**
   * Deletes a partial file, unless a transfer of the queue is writing to it or will resume it. A transfer that claims
   * the file meanwhile waits for the deletion.
   *
   * @param remove deletes the file
   * @returns whether the file was deleted
   * @throws what `remove` throws
   */
  async deleteUnneeded(part: string, remove: () => Promise<void>): Promise<boolean> {
    if (this.#needs(part)) return false;
    const deletion = this.#deletions.get(part) ?? remove().finally(() => this.#deletions.delete(part));
    this.#deletions.set(part, deletion);
    await deletion;
    return true;
  }

  #needs(part: string): boolean {
    if (this.#partsInUse.has(part)) return true;
    for (const { parts } of this.#jobs.values()) if (parts.mark(part) !== undefined) return true;
    return false;
  }

  /** Returns the given transfers with their jobs, as the journal stores them. */
  data(transfers: readonly Transfer[]): StoredTransfer[] {
    return transfers.flatMap((transfer) => {
      const job = this.#jobs.get(transfer.id);
      if (job === undefined) return [];
      const { policy, again, chosen, parts } = job;
      return [{ transfer, policy, again, chosen, parts: parts.marks() }];
    });
  }
}
