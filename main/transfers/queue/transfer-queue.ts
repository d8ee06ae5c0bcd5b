import type { WireError } from '#shared/errors/wire.ts';
import type { Transfer } from '#shared/ipc/contract.ts';

/** Ended ones that are remembered; the oldest are forgotten first. */
const MAX_ENDED = 500;

/** What is known of a transfer before it runs. */
export type NewTransfer = Pick<
  Transfer,
  'id' | 'direction' | 'move' | 'name' | 'localPath' | 'remotePath' | 'connection'
> & {
  readonly files: number;
  readonly bytes: number;
};

/** What stands still in every state but `running`. */
const STILL = { bytesPerSecond: 0, remainingMs: null } as const;

/**
 * The states of the transfer queue:
 *
 * - `queued → running → done | failed`; `running → cancelling → cancelled | done` (done when the cancel came too late)
 * - `queued | running | waiting → paused`, and back by resume
 * - `queued | running → waiting` without the transfer's connection, and back to `queued` when it stands again
 * - `queued | waiting | paused → cancelling → cancelled`, as what is half there is taken back first
 * - `queued | waiting | paused → failed` when its connection was removed
 * - `failed | cancelled → queued` by retry
 *
 * Knows no file and no clock; times come in as ms since epoch. Each move that is not allowed is refused by doing
 * nothing (stopping a stopped one is fine).
 */
export class TransferQueue {
  readonly #transfers = new Map<string, Transfer>();
  #limit: number;
  #connection: string | null;

  /** @param limit transfers at the same time; @param connection the profile whose master can be reached now */
  constructor(limit: number, connection: string | null) {
    this.#limit = limit;
    this.#connection = connection;
  }

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
      ...STILL,
      state: this.#readyState(transfer.connection),
      step: 'copying',
      files: { done: 0, total: files },
      bytes: { done: 0, total: bytes },
      skipped: 0,
      startedAt: null,
      endedAt: null,
      error: null,
    });
  }

  /** Takes up one that was written down before the app ended: what ran goes on by itself, what was paused stays so. */
  restore(transfer: Transfer): void {
    const state = transfer.endedAt === null && transfer.state !== 'paused' ? 'waiting' : transfer.state;
    this.#transfers.set(transfer.id, { ...transfer, ...STILL, state });
    this.#change(transfer.id, ['waiting'], { state: this.#readyState(transfer.connection) });
  }

  /** Less than run already: those go on, and the next begin later. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** The profile whose master can be reached now, or null. Those of others wait. */
  setConnection(connection: string | null): void {
    this.#connection = connection;
    for (const { id, connection: own } of this.list()) {
      if (own === connection) this.#change(id, ['waiting'], { state: 'queued', error: null });
      else this.#change(id, ['queued'], { state: 'waiting' });
    }
  }

  /**
   * The ids to begin now, the oldest first, so that no more than the limit run.
   *
   * @param busy those whose last run has not quite ended yet: each still takes a place, and is not begun again
   */
  startable(busy: ReadonlySet<string> = new Set()): string[] {
    const all = this.list();
    const running = all.filter(
      ({ id, state }) => state === 'running' || state === 'cancelling' || busy.has(id),
    );
    return all
      .filter(({ id, state }) => state === 'queued' && !busy.has(id))
      .slice(0, Math.max(0, this.#limit - running.length))
      .map(({ id }) => id);
  }

  begin(id: string, now: number): void {
    const startedAt = this.#transfers.get(id)?.startedAt ?? now;
    this.#change(id, ['queued'], { state: 'running', startedAt });
  }

  /** The counts as they are known now. Ignored unless it runs: late news of a cancelled one changes nothing. */
  progress(
    id: string,
    progress: Pick<Transfer, 'step' | 'files' | 'bytes' | 'bytesPerSecond' | 'remainingMs' | 'skipped'>,
  ): void {
    this.#change(id, ['running'], progress);
  }

  finish(id: string, now: number): void {
    // Paused in its last moment: it is done all the same.
    this.#end(id, ['running', 'cancelling', 'paused'], { state: 'done', endedAt: now, error: null });
  }

  /** It ended before its end by a fault. */
  fail(id: string, error: WireError, now: number): void {
    this.#end(id, ['running', 'paused'], { state: 'failed', endedAt: now, error });
  }

  /** Nothing leads to its master any more: it would wait for ever. */
  strand(id: string, error: WireError, now: number): void {
    this.#end(id, ['queued', 'waiting', 'paused'], { state: 'failed', endedAt: now, error });
  }

  /** What was half there of a cancelled one is gone. */
  cancelled(id: string, now: number): void {
    this.#end(id, ['cancelling'], { state: 'cancelled', endedAt: now });
  }

  /** Its connection broke: it goes on when there is one again. */
  interrupt(id: string, error: WireError): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return;
    const state = this.#readyState(transfer.connection);
    this.#change(id, ['running'], { ...STILL, state, error: state === 'waiting' ? error : null });
  }

  /** Holds one that has not ended. @returns false when there is nothing to hold */
  pause(id: string): boolean {
    return this.#change(id, ['queued', 'running', 'waiting'], { ...STILL, state: 'paused', error: null });
  }

  resume(id: string): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return;
    this.#change(id, ['paused'], { state: this.#readyState(transfer.connection) });
  }

  /**
   * One that has not ended is to end, and {@link cancelled} says when what was half there is gone. A move that takes its
   * source away right now goes on: all of it has arrived, and half a source would help nobody.
   */
  cancel(id: string): void {
    const transfer = this.#transfers.get(id);
    if (transfer?.state === 'running' && transfer.step === 'removing') return;
    this.#change(id, ['running', 'queued', 'waiting', 'paused'], { ...STILL, state: 'cancelling' });
  }

  /** Queues one again that failed or was cancelled. @returns false when there is none such */
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

  #readyState(connection: string): 'queued' | 'waiting' {
    return connection === this.#connection ? 'queued' : 'waiting';
  }

  #end(id: string, from: readonly Transfer['state'][], change: Partial<Transfer>): void {
    if (this.#change(id, from, { ...STILL, ...change })) this.#forgetOldest();
  }

  #change(id: string, from: readonly Transfer['state'][], change: Partial<Transfer>): boolean {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined || !from.includes(transfer.state)) return false;
    this.#transfers.set(id, { ...transfer, ...change });
    return true;
  }

  #forgetOldest(): void {
    const ended = this.list().filter(({ endedAt }) => endedAt !== null);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#transfers.delete(id);
  }
}
