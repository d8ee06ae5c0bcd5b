import type { WireError } from '#shared/errors/wire.ts';
import type { Transfer } from '#shared/ipc/contract.ts';

/** Maximum number of ended transfers in the list. The oldest are removed first. */
const MAX_ENDED = 500;

/** Properties of a transfer that are known before it runs. */
export type NewTransfer = Pick<
  Transfer,
  'id' | 'direction' | 'move' | 'name' | 'localPath' | 'remotePath' | 'connection'
> & {
  readonly files: number;
  readonly bytes: number;
};

/** Speed and remaining time of a transfer that is not running. */
const STILL = { bytesPerSecond: 0, remainingMs: null } as const;

/**
 * Holds transfers and changes their states. A transfer has these transitions:
 *
 * - `queued → running → done | failed`; `running → cancelling → cancelled | done` (done if the cancellation came
 *   too late)
 * - `queued | running | waiting → paused`, and `paused → queued | waiting` by resume
 * - `paused → done | failed` if the transfer ends while it is being paused
 * - `queued | running → waiting` while the transfer's master is not connected, and then back to `queued`
 * - `running → queued` after an interruption, if the transfer's master is connected again
 * - `queued | waiting | paused → cancelling → cancelled`, because partial files are deleted first
 * - `queued | waiting | paused → failed` when the transfer's connection profile was removed
 * - `failed | cancelled → queued | waiting` by retry
 *
 * Accesses no file and no clock; times are passed in (ms since epoch). A transition that is not allowed does
 * nothing.
 */
export class TransferQueue {
  readonly #transfers = new Map<string, Transfer>();
  #limit: number;
  #connection: string | null;

  /**
   * Creates an empty queue.
   *
   * @param limit number of parallel transfers
   * @param connection id of the connected master's profile; null if no master is connected
   */
  constructor(limit: number, connection: string | null) {
    this.#limit = limit;
    this.#connection = connection;
  }

  /** Returns the transfers, first added first. A retried transfer moves to the end. */
  list(): Transfer[] {
    return [...this.#transfers.values()];
  }

  get(id: string): Transfer | undefined {
    return this.#transfers.get(id);
  }

  /** Adds a transfer that is queued, or waits while its master is not connected. */
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

  /** Restores a stored transfer. A transfer that was running is queued again; a paused transfer stays paused. */
  restore(transfer: Transfer): void {
    const state = transfer.endedAt === null && transfer.state !== 'paused' ? 'waiting' : transfer.state;
    this.#transfers.set(transfer.id, { ...transfer, ...STILL, state });
    this.#change(transfer.id, ['waiting'], { state: this.#readyState(transfer.connection) });
  }

  /** Sets the number of parallel transfers. If more are running, all of them continue, but no further one starts. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** Sets the id of the connected master's profile; null if none is connected. Transfers of other profiles wait. */
  setConnection(connection: string | null): void {
    this.#connection = connection;
    for (const { id, connection: own } of this.list()) {
      if (own === connection) this.#change(id, ['waiting'], { state: 'queued', error: null });
      else this.#change(id, ['queued'], { state: 'waiting' });
    }
  }

  /**
   * Returns the ids of the transfers to start now, oldest first, up to the limit.
   *
   * @param busy transfers whose last run has not finished; they count towards the limit and are not started again
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

  /** Marks a queued transfer as running. @param now time (ms since epoch) */
  begin(id: string, now: number): void {
    const startedAt = this.#transfers.get(id)?.startedAt ?? now;
    this.#change(id, ['queued'], { state: 'running', startedAt });
  }

  /**
   * Updates the progress of a running transfer. Does nothing in any other state, so that a late update does not
   * change a cancelled transfer.
   */
  progress(
    id: string,
    progress: Pick<Transfer, 'step' | 'files' | 'bytes' | 'bytesPerSecond' | 'remainingMs' | 'skipped'>,
  ): void {
    this.#change(id, ['running'], progress);
  }

  /** Marks a transfer as done. @param now time (ms since epoch) */
  finish(id: string, now: number): void {
    // A transfer that completes while it is being paused is done nevertheless.
    this.#end(id, ['running', 'cancelling', 'paused'], { state: 'done', endedAt: now, error: null });
  }

  /** Marks a transfer as failed. */
  fail(id: string, error: WireError, now: number): void {
    this.#end(id, ['running', 'paused'], { state: 'failed', endedAt: now, error });
  }

  /**
   * Marks a transfer as failed because its connection profile was removed. Otherwise the transfer would wait forever.
   */
  strand(id: string, error: WireError, now: number): void {
    this.#end(id, ['queued', 'waiting', 'paused'], { state: 'failed', endedAt: now, error });
  }

  /** Marks a transfer as cancelled after its partial files were deleted. */
  cancelled(id: string, now: number): void {
    this.#end(id, ['cancelling'], { state: 'cancelled', endedAt: now });
  }

  /** Handles a broken connection: the transfer continues after a reconnect. */
  interrupt(id: string, error: WireError): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return;
    const state = this.#readyState(transfer.connection);
    this.#change(id, ['running'], { ...STILL, state, error: state === 'waiting' ? error : null });
  }

  /**
   * Pauses a transfer that has not ended.
   *
   * @returns false if the transfer is paused, being cancelled, or ended
   */
  pause(id: string): boolean {
    return this.#change(id, ['queued', 'running', 'waiting'], { ...STILL, state: 'paused', error: null });
  }

  /** Queues a paused transfer again. If the transfer's master is not connected, the transfer waits. */
  resume(id: string): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return;
    this.#change(id, ['paused'], { state: this.#readyState(transfer.connection) });
  }

  /**
   * Starts to cancel a transfer that has not ended. {@link cancelled} completes the cancellation once the partial
   * files are deleted. Does not cancel a move that has started to remove its source, because all files have arrived
   * and half a source is useless.
   */
  cancel(id: string): void {
    if (this.#transfers.get(id)?.step === 'removing') return;
    this.#change(id, ['running', 'queued', 'waiting', 'paused'], { ...STILL, state: 'cancelling' });
  }

  /**
   * Queues a failed or cancelled transfer again, from its first step. If the transfer's master is not connected, the
   * transfer waits.
   *
   * @returns false if the transfer is in another state
   */
  retry(id: string): boolean {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined || (transfer.state !== 'failed' && transfer.state !== 'cancelled'))
      return false;
    this.#transfers.delete(id);
    this.add({ ...transfer, files: transfer.files.total, bytes: transfer.bytes.total });
    return true;
  }

  /**
   * Removes all ended transfers.
   *
   * @returns their ids
   */
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
