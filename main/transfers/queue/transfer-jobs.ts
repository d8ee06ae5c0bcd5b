import type { Transfer } from '#shared/ipc/contract.ts';
import type { FilePolicy } from '../operations/file-choice.ts';
import { PartLedger } from '../operations/part.ts';
import type { StoredTransfer } from './transfer-journal.ts';

/** What the queue knows of a transfer beside what is shown. */
export interface Job {
  readonly policy: FilePolicy;
  /** True when it copies only some files of a folder (transfer-journal.ts). */
  readonly chosen: boolean;
  readonly move: boolean;
  readonly parts: PartLedger;
  /** True once it was begun: what is at the destination may be its own. */
  again: boolean;
  /** True once a move has compared all, and takes its source away. */
  removing: boolean;
  /** Times in a row that it broke off before anything arrived. */
  breaks: number;
}

/** The jobs of all transfers of one queue. */
export class TransferJobs {
  readonly #jobs = new Map<string, Job>();
  /** Parts that any of them writes to now. */
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

  /** Forgets all that are not among these. @returns ids and jobs of those forgotten */
  keepOnly(transfers: readonly Transfer[]): [string, Job][] {
    if (this.#jobs.size === transfers.length) return [];
    const known = new Set(transfers.map(({ id }) => id));
    const gone = [...this.#jobs].filter(([id]) => !known.has(id));
    for (const [id] of gone) this.#jobs.delete(id);
    return gone;
  }

  /** For the journal. */
  data(transfers: readonly Transfer[]): StoredTransfer[] {
    return transfers.flatMap((transfer) => {
      const job = this.#jobs.get(transfer.id);
      if (job === undefined) return [];
      const { policy, again, chosen, removing, parts } = job;
      return [{ transfer, policy, again, chosen, removing, parts: parts.marks() }];
    });
  }
}
