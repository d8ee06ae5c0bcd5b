import { randomUUID } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Transfer } from '#shared/ipc/contract.ts';
import { listFolder } from '../local/list-folder.ts';
import { decide, type ConflictChoices } from './conflicts.ts';
import { Interruption } from '../operations/interruption.ts';
import { Leftovers } from './leftovers.ts';
import { toTransfer, type PlannedTransfer, type Plans } from './plans.ts';
import { Throttle } from '#shared/node/throttle.ts';
import type { ChosenFile } from '../operations/chosen-file.ts';
import type { JournalData } from './transfer-journal.ts';
import { TransferQueue, type NewTransfer } from './transfer-queue.ts';
import { TransferJobs, type TransferJob } from './transfer-jobs.ts';
import { TransferRuns, type RunContext } from './transfer-runs.ts';

/**
 * Minimum time between two updates of the window (ms). The larger of two values applies: the first constant, or the
 * second constant multiplied by the number of listed transfers (one second for ten thousand transfers).
 */
const PUSH_EVERY_MS = 100;
const PUSH_EVERY_MS_EACH = 0.1;

interface TransfersOptions extends RunContext {
  readonly plans: Plans;
  /** Number of parallel transfers. */
  readonly limit: number;
  /** Returns the ids of the existing connection profiles. Transfers of any other profile fail. */
  readonly connections: () => ReadonlySet<string>;
  readonly onChange: (transfers: Transfer[]) => void;
}

/**
 * The transfer queue: starts plans, runs several transfers in parallel, resumes them after interruptions and
 * restarts, and reports their progress.
 */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #queue: TransferQueue;
  readonly #jobs = new TransferJobs();
  readonly #runs: TransferRuns;
  readonly #cleanUps = new Map<string, Promise<void>>();
  readonly #leftovers: Leftovers;
  readonly #push: Throttle;
  #closed = false;

  private constructor(options: TransfersOptions, stored: JournalData) {
    this.#options = options;
    this.#queue = new TransferQueue(options.limit, options.session.connection);
    this.#leftovers = new Leftovers(stored.leftovers, { ...options, jobs: this.#jobs });
    this.#runs = new TransferRuns({
      ...options,
      queue: this.#queue,
      jobs: this.#jobs,
      leftovers: this.#leftovers,
      onChange: () => this.#changed(),
      persist: () => this.#persist(),
    });
    this.#push = new Throttle(
      () => Math.max(PUSH_EVERY_MS, this.list().length * PUSH_EVERY_MS_EACH),
      () => options.onChange(this.list()),
    );
    for (const one of stored.transfers) {
      this.#jobs.restore(one);
      this.#queue.restore(one.transfer);
      if (one.transfer.state === 'cancelling') this.cancel(one.transfer.id);
    }
  }

  /** Opens the queue with the transfers of the app's previous run. */
  static async open(options: TransfersOptions): Promise<Transfers> {
    const transfers = new Transfers(options, await options.journal.read());
    transfers.connectionChanged();
    return transfers;
  }

  list(): Transfer[] {
    return this.#queue.list();
  }

  /**
   * Starts a plan. Applies the choices to the names that exist at the destination now.
   *
   * @throws OverworldError PLAN_EXPIRED, NOT_CONNECTED (the plan was created with another master)
   */
  async start(planId: string, choices: ConflictChoices): Promise<void> {
    const { plans, session } = this.#options;
    const plan = plans.take(planId);
    if (plan.connection !== session.connection) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    for (const decision of decide(plan.items, await this.#namesAt(plan), choices)) {
      const transfer = toTransfer(plan, decision);
      this.#add(
        { id: randomUUID(), ...transfer },
        { policy: decision.policy, chosen: false, move: plan.move },
      );
    }
    this.#advance();
  }

  /**
   * Adds a transfer that copies single files of a compared folder. The transfer skips files that have changed since
   * the comparison.
   */
  async startChosen(
    transfer: Omit<NewTransfer, 'id' | 'files' | 'bytes'>,
    chosen: readonly ChosenFile[],
  ): Promise<void> {
    const id = randomUUID();
    await this.#options.journal.writeChosen(id, chosen);
    const bytes = chosen.reduce((sum, { source }) => sum + source.bytes, 0);
    this.#add(
      { ...transfer, id, files: chosen.length, bytes },
      { policy: 'overwrite', chosen: true, move: false },
    );
    this.#advance();
  }

  /** Pauses one transfer, or all if `id` is null. Partial files stay. */
  pause(id: string | null): void {
    for (const one of id === null ? this.list().map((transfer) => transfer.id) : [id]) {
      if (this.#queue.pause(one)) this.#runs.stop(one, new Interruption('pause'));
    }
    this.#advance();
  }

  /**
   * Pauses all transfers of a connection profile that may lead to another master now. A person then decides whether
   * they continue.
   */
  pauseAllOf(connection: string): void {
    for (const transfer of this.list()) if (transfer.connection === connection) this.pause(transfer.id);
  }

  /** Resumes one paused transfer, or all if `id` is null. */
  resume(id: string | null): void {
    for (const one of id === null ? this.list().map((transfer) => transfer.id) : [id])
      this.#queue.resume(one);
    this.#advance();
  }

  /**
   * Starts to cancel a transfer. The transfer is `cancelled` once its partial files are deleted. Does nothing if the
   * transfer has ended or is a move that has started to remove its source.
   */
  cancel(id: string): void {
    this.#queue.cancel(id);
    if (this.#queue.get(id)?.state !== 'cancelling' || this.#cleanUps.has(id)) return;
    this.#runs.stop(id);
    this.#cleanUps.set(id, this.#cleanUp(id));
    this.#advance();
  }

  /** Starts a failed or cancelled transfer again. Files that an earlier attempt has copied stay. */
  async retry(id: string): Promise<void> {
    await this.#runs.ended(id);
    if (this.#queue.retry(id)) this.#advance();
  }

  /** Removes all ended transfers and their partial files. */
  clear(): void {
    for (const transfer of this.list()) {
      const parts = this.#jobs.get(transfer.id)?.parts;
      if (transfer.endedAt !== null && parts !== undefined) void this.#leftovers.discard(transfer, parts);
    }
    this.#queue.clear();
    this.#prune();
    this.#changed();
  }

  /** Sets the number of parallel transfers. Transfers that run already continue. */
  setLimit(limit: number): void {
    this.#queue.setLimit(limit);
    this.#advance();
  }

  /** Handles a change of the link (connected, disconnected, or other profile) or the removal of a profile. */
  connectionChanged(): void {
    this.#queue.setConnection(this.#options.session.connection);
    this.#advance();
    void this.#leftovers.sweep().then(() => this.#changed());
  }

  /** Stops all transfers when the app quits. They continue at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#runs.stopAll(new Interruption('suspend')), ...this.#cleanUps.values()]);
    await this.#persist();
  }

  #add(transfer: NewTransfer, job: Pick<TransferJob, 'policy' | 'chosen' | 'move'>): void {
    this.#jobs.add(transfer.id, job);
    this.#queue.add(transfer);
  }

  #advance(): void {
    this.#endStranded();
    for (const id of this.#closed ? [] : this.#queue.startable(this.#runs.ids())) {
      this.#runs.begin(id, () => this.#advance());
    }
    this.#prune();
    this.#changed();
  }

  /** Fails transfers whose connection was removed, because they can never continue. */
  #endStranded(): void {
    const known = this.#options.connections();
    for (const transfer of this.list()) {
      if (transfer.endedAt !== null || known.has(transfer.connection)) continue;
      this.#queue.strand(transfer.id, toWire(toRemovalError(transfer)), Date.now());
    }
  }

  /** Completes a cancellation once the run has stopped and its partial files are deleted. */
  async #cleanUp(id: string): Promise<void> {
    await this.#runs.ended(id);
    const [transfer, parts] = [this.#queue.get(id), this.#jobs.get(id)?.parts];
    if (transfer !== undefined && parts !== undefined) await this.#leftovers.discard(transfer, parts);
    this.#cleanUps.delete(id);
    this.#queue.cancelled(id, Date.now());
    this.#advance();
  }

  async #namesAt({ direction, folder }: PlannedTransfer): Promise<Set<string>> {
    const entries =
      direction === 'download'
        ? await listFolder(folder, folder)
        : await (await this.#options.session.files()).listAll(folder);
    return new Set(entries.map(({ name }) => name));
  }

  /** Writes the current queue to disk. */
  async #persist(): Promise<void> {
    this.#changed();
    await this.#options.journal.flush();
  }

  #changed(): void {
    this.#push.call();
    this.#options.journal.note(() => ({
      version: 1,
      transfers: this.#jobs.data(this.list()),
      leftovers: this.#leftovers.data(),
    }));
  }

  /** Removes the data of transfers that are no longer in the list. */
  #prune(): void {
    for (const [id] of this.#jobs.keepOnly(this.list())) void this.#options.journal.forgetLists(id);
  }
}

/** Returns the error of a transfer whose connection was removed. */
function toRemovalError({ name, step, direction, localPath, remotePath }: Transfer): OverworldError {
  if (step !== 'removing') return new OverworldError('CONNECTION_REMOVED', { transfer: name });
  const path = direction === 'upload' ? localPath : remotePath;
  return new OverworldError('SOURCE_REMAINS', { path, why: 'its connection was removed' });
}
