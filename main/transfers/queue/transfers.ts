import { randomUUID } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Transfer } from '#shared/ipc/contract.ts';
import { listFolder } from '../../local/list-folder.ts';
import { decide, type Choices } from './conflicts.ts';
import { Interruption } from './interruption.ts';
import { Leftovers } from './leftovers.ts';
import { toTransfer, type Plan, type Plans } from './plans.ts';
import { throttle } from './throttle.ts';
import type { ChosenFile, JournalData } from './transfer-journal.ts';
import { TransferQueue, type NewTransfer } from './transfer-queue.ts';
import { TransferJobs, type Job } from './transfer-jobs.ts';
import { TransferRuns, type RunContext } from './transfer-runs.ts';

/** At most ten pushes a second reach the window; one a second with ten thousand transfers. */
const PUSH_EVERY_MS = 100;
const PUSH_EVERY_MS_EACH = 0.1;

interface TransfersOptions extends RunContext {
  readonly plans: Plans;
  /** Transfers at the same time. */
  readonly limit: number;
  /** Ids of the connection profiles there are: transfers of others have no master any more. */
  readonly connections: () => ReadonlySet<string>;
  readonly onChange: (transfers: Transfer[]) => void;
}

/** The transfer queue: begins plans, runs some at a time, goes on after breaks and restarts, reports their progress. */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #queue: TransferQueue;
  readonly #jobs = new TransferJobs();
  readonly #runs: TransferRuns;
  readonly #cleanUps = new Map<string, Promise<void>>();
  readonly #leftovers: Leftovers;
  readonly #push: () => void;
  #closed = false;

  private constructor(options: TransfersOptions, stored: JournalData) {
    this.#options = options;
    this.#queue = new TransferQueue(options.limit, options.session.connection);
    this.#leftovers = new Leftovers(stored.leftovers, options.session, options.log);
    this.#runs = new TransferRuns({
      ...options,
      queue: this.#queue,
      jobs: this.#jobs,
      leftovers: this.#leftovers,
      onChange: () => this.#changed(),
      persist: () => this.#persist(),
    });
    this.#push = throttle(
      () => options.onChange(this.list()),
      () => Math.max(PUSH_EVERY_MS, this.list().length * PUSH_EVERY_MS_EACH),
    );
    for (const one of stored.transfers) {
      this.#jobs.restore(one);
      this.#queue.restore(one.transfer);
      if (one.transfer.state === 'cancelling') this.cancel(one.transfer.id);
    }
  }

  /** Takes up the queue as the app's last run has left it. */
  static async open(options: TransfersOptions): Promise<Transfers> {
    const transfers = new Transfers(options, await options.journal.read());
    transfers.connectionChanged();
    return transfers;
  }

  list(): Transfer[] {
    return this.#queue.list();
  }

  /**
   * Begins a plan. Names are compared with the destination as it is now.
   *
   * @throws OverworldError PLAN_EXPIRED, NOT_CONNECTED (it was made with another master)
   */
  async start(planId: string, choices: Choices): Promise<void> {
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

  /** Copies single files of a folder that were compared; one that has changed since is left as it is. */
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

  /** Holds one, or all; what has arrived stays beside its destination. */
  pause(id: string | null): void {
    for (const one of id === null ? this.list().map((transfer) => transfer.id) : [id]) {
      if (this.#queue.pause(one)) this.#runs.stop(one, new Interruption('pause'));
    }
    this.#advance();
  }

  /** Holds all that belong to the master of a connection: a person decides whether they go on with what is there now. */
  pauseAllOf(connection: string): void {
    for (const transfer of this.list()) if (transfer.connection === connection) this.pause(transfer.id);
  }

  /** Goes on with one, or all, that were held. */
  resume(id: string | null): void {
    for (const one of id === null ? this.list().map((transfer) => transfer.id) : [id])
      this.#queue.resume(one);
    this.#advance();
  }

  /** Begins to end one: it is `cancelled` once what is half-written is deleted. One that has ended stays as it is. */
  cancel(id: string): void {
    this.#queue.cancel(id);
    if (this.#queue.get(id)?.state !== 'cancelling' || this.#cleanUps.has(id)) return;
    this.#runs.stop(id);
    this.#cleanUps.set(id, this.#cleanUp(id));
    this.#advance();
  }

  /** Begins one again that failed or was cancelled; what an earlier try has brought stays where it is. */
  async retry(id: string): Promise<void> {
    await this.#runs.ended(id);
    if (this.#queue.retry(id)) this.#advance();
  }

  /** Forgets all that have ended, with what they left half-written. */
  clear(): void {
    for (const transfer of this.list()) {
      const parts = this.#jobs.get(transfer.id)?.parts;
      if (transfer.endedAt !== null && parts !== undefined) void this.#leftovers.discard(transfer, parts);
    }
    this.#queue.clear();
    this.#prune();
    this.#changed();
  }

  setLimit(limit: number): void {
    this.#queue.setLimit(limit);
    this.#advance();
  }

  /** The link has connected, or lost its connection, or belongs to another profile; or a profile was removed. */
  connectionChanged(): void {
    this.#queue.setConnection(this.#options.session.connection);
    this.#advance();
    void this.#leftovers.sweep().then(() => this.#changed());
  }

  /** The app ends: all stop where they are, and go on when it is opened again. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#runs.stopAll(new Interruption('suspend')), ...this.#cleanUps.values()]);
    await this.#persist();
  }

  #add(transfer: NewTransfer, job: Pick<Job, 'policy' | 'chosen' | 'move'>): void {
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

  /** Those whose connection was removed can never go on: they end, and say why. */
  #endStranded(): void {
    const known = this.#options.connections();
    for (const { id, name, endedAt, connection } of this.list()) {
      if (endedAt !== null || known.has(connection)) continue;
      this.#queue.strand(
        id,
        toWire(new OverworldError('CONNECTION_REMOVED', { transfer: name })),
        Date.now(),
      );
    }
  }

  /** Ends a cancelled one, once it stands still and what it has half-written is gone. */
  async #cleanUp(id: string): Promise<void> {
    await this.#runs.ended(id);
    const [transfer, parts] = [this.#queue.get(id), this.#jobs.get(id)?.parts];
    if (transfer !== undefined && parts !== undefined) await this.#leftovers.discard(transfer, parts);
    this.#cleanUps.delete(id);
    this.#queue.cancelled(id, Date.now());
    this.#advance();
  }

  async #namesAt({ direction, folder }: Plan): Promise<Set<string>> {
    const entries =
      direction === 'download'
        ? await listFolder(folder, folder)
        : await (await this.#options.session.files()).listAll(folder);
    return new Set(entries.map(({ name }) => name));
  }

  /** Puts the queue on disk as it is now. */
  async #persist(): Promise<void> {
    this.#changed();
    await this.#options.journal.flush();
  }

  #changed(): void {
    this.#push();
    this.#options.journal.note(() => ({
      version: 1,
      transfers: this.#jobs.data(this.list()),
      leftovers: this.#leftovers.data(),
    }));
  }

  /** Forgets what belonged to transfers that nobody remembers any more. */
  #prune(): void {
    for (const [id, { chosen, move }] of this.#jobs.keepOnly(this.list())) {
      if (chosen || move) void this.#options.journal.forgetChosen(id);
    }
  }
}
