import type { WireError } from '#shared/errors/wire.ts';
import type { Transfer } from '#shared/ipc/contract.ts';

/** Transfers that run at the same time; more would only share the same line. */
export const MAX_RUNNING = 3;

/** Ended ones that are remembered; the oldest are forgotten first. */
const MAX_ENDED = 500;

/** What is known of a transfer before it runs. */
export type NewTransfer = Pick<Transfer, 'id' | 'direction' | 'name' | 'localPath' | 'remotePath'> & {
  readonly files: number;
  readonly bytes: number;
};

/**
 * The states of the transfer queue: `queued → running → done | failed`, or `running → cancelling → cancelled | done`
 * (done when the cancel came too late); from failed and cancelled back to `queued` by retry. Knows no file and no
 * clock; times come in as ms since epoch. Each move that is not allowed is refused by doing nothing (stopping a
 * stopped one is fine).
 */
export class TransferQueue {
  readonly #transfers = new Map<string, Transfer>();

  /** In the order they were added; those tried again are at the end. */
  list(): Transfer[] {
    return [...this.#transfers.values()];
  }

  get(id: string): Transfer | undefined {
    return this.#transfers.get(id);
  }

  add({ files, bytes, ...transfer }: NewTransfer): void {
    this.#transfers.set(transfer.id, {
      ...transfer,
      state: 'queued',
      files: { done: 0, total: files },
      bytes: { done: 0, total: bytes },
      bytesPerSecond: 0,
      remainingMs: null,
      skipped: 0,
      connection: 'embedded',
      startedAt: null,
      endedAt: null,
      error: null,
    });
  }

  /** The ids to begin now, the oldest first, so that no more than {@link MAX_RUNNING} run. */
  startable(): string[] {
    const all = this.list();
    const running = all.filter(({ state }) => state === 'running' || state === 'cancelling').length;
    return all
      .filter(({ state }) => state === 'queued')
      .slice(0, Math.max(0, MAX_RUNNING - running))
      .map(({ id }) => id);
  }

  begin(id: string, now: number): void {
    this.#change(id, ['queued'], { state: 'running', startedAt: now });
  }

  /** The counts as they are known now. Ignored unless it runs: late news of a cancelled one changes nothing. */
  progress(id: string, progress: Pick<Transfer, 'files' | 'bytes' | 'bytesPerSecond'>): void {
    this.#change(id, ['running'], progress);
  }

  finish(id: string, now: number): void {
    this.#end(id, ['running', 'cancelling'], { state: 'done', endedAt: now });
  }

  /** It ended before its end, and what was half there is gone: by a fault, or as it was asked to. */
  fail(id: string, error: WireError, now: number): void {
    this.#end(id, ['running'], { state: 'failed', endedAt: now, error });
    this.#end(id, ['cancelling'], { state: 'cancelled', endedAt: now });
  }

  /** Ends one that is queued; one that runs is to end, and {@link fail} says when it has. */
  cancel(id: string, now: number): void {
    this.#change(id, ['running'], { state: 'cancelling', bytesPerSecond: 0 });
    this.#end(id, ['queued'], { state: 'cancelled', endedAt: now });
  }

  /** Queues one again that failed or was cancelled, from its beginning. @returns false when there is none such */
  retry(id: string): boolean {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined || (transfer.state !== 'failed' && transfer.state !== 'cancelled'))
      return false;
    this.#transfers.delete(id);
    this.add({ ...transfer, files: transfer.files.total, bytes: transfer.bytes.total });
    return true;
  }

  /** Forgets all that have ended. @returns their ids */
  clear(): string[] {
    const ended = this.list().filter(({ endedAt }) => endedAt !== null);
    for (const { id } of ended) this.#transfers.delete(id);
    return ended.map(({ id }) => id);
  }

  #end(id: string, from: readonly Transfer['state'][], change: Partial<Transfer>): void {
    this.#change(id, from, { ...change, bytesPerSecond: 0 });
    this.#forgetOldest();
  }

  #change(id: string, from: readonly Transfer['state'][], change: Partial<Transfer>): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined || !from.includes(transfer.state)) return;
    this.#transfers.set(id, { ...transfer, ...change });
  }

  #forgetOldest(): void {
    const ended = this.list().filter(({ endedAt }) => endedAt !== null);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#transfers.delete(id);
  }
}
