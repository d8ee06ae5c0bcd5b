import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { toWire } from '#shared/errors/wire.ts';
import type { ConflictChoice, Transfer } from '#shared/ipc/contract.ts';
import type { Log } from '../log.ts';
import { decide } from './conflicts.ts';
import { copyTree } from './copy-tree.ts';
import { namesHere, type Plan, type Plans } from './plans.ts';
import { joinRemote } from './remote-files.ts';
import type { RemoteSession } from './remote-session.ts';
import { SpeedMeter } from './speed.ts';
import { throttle } from './throttle.ts';
import { TransferQueue } from './transfer-queue.ts';

/** At most ten pushes a second reach the window. */
const PUSH_EVERY_MS = 100;

interface TransfersOptions {
  readonly session: RemoteSession;
  readonly plans: Plans;
  readonly log: Log;
  readonly onChange: (transfers: Transfer[]) => void;
}

interface Run {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The transfer queue: begins plans, runs three transfers at a time, reports their progress. */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #queue = new TransferQueue();
  readonly #runs = new Map<string, Run>();
  /** Whether what is at a transfer's destination may be replaced. */
  readonly #replace = new Map<string, boolean>();
  readonly #changed: () => void;

  constructor(options: TransfersOptions) {
    this.#options = options;
    this.#changed = throttle(() => options.onChange(this.list()), PUSH_EVERY_MS);
  }

  list(): Transfer[] {
    return this.#queue.list();
  }

  /** Begins a plan. Names are compared with the destination as it is now. @throws OverworldError PLAN_EXPIRED */
  async start(planId: string, onConflict: ConflictChoice): Promise<void> {
    const plan = this.#options.plans.take(planId);
    const taken = await this.#namesAt(plan);
    const names = plan.items.map(({ name }) => name);
    for (const { name, target, replace } of decide(names, taken, onConflict)) {
      const item = plan.items.find((planned) => planned.name === name);
      if (item === undefined) continue;
      const id = randomUUID();
      const upload = plan.direction === 'upload';
      this.#replace.set(id, replace);
      this.#queue.add({
        id,
        direction: plan.direction,
        name: target,
        localPath: upload ? item.source : join(plan.folder, target),
        remotePath: upload ? joinRemote(plan.folder, target) : item.source,
        files: item.files,
        bytes: item.bytes,
      });
    }
    this.#advance();
  }

  /** Begins to end one: it is `cancelled` once what is half-written is deleted. One that has ended stays as it is. */
  cancel(id: string): void {
    this.#queue.cancel(id, Date.now());
    this.#runs.get(id)?.abort.abort();
    this.#advance();
  }

  /** Begins one again that failed or was cancelled, from its beginning. */
  async retry(id: string): Promise<void> {
    // Its state says that it has ended a moment before its run is forgotten.
    await this.#runs.get(id)?.ended;
    if (this.#queue.retry(id)) this.#advance();
  }

  clear(): void {
    for (const id of this.#queue.clear()) this.#replace.delete(id);
    this.#changed();
  }

  /** Cancels all and waits until they have cleaned up. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { id } of this.list()) this.cancel(id);
    await Promise.all(runs.map(({ ended }) => ended));
  }

  #advance(): void {
    for (const id of this.#queue.startable()) {
      this.#queue.begin(id, Date.now());
      const abort = new AbortController();
      const ended = this.#run(id, abort.signal).finally(() => {
        this.#runs.delete(id);
        this.#advance();
      });
      this.#runs.set(id, { abort, ended });
    }
    this.#changed();
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const transfer = this.#queue.get(id);
    if (transfer === undefined) return;
    const { session, log } = this.#options;
    const done = { files: 0, bytes: 0 };
    let total = { files: transfer.files.total, bytes: transfer.bytes.total };
    const speed = new SpeedMeter(Date.now());
    const report = () => {
      this.#queue.progress(id, {
        files: { done: done.files, total: total.files },
        bytes: { done: done.bytes, total: total.bytes },
        bytesPerSecond: speed.bytesPerSecond(Date.now()),
      });
      this.#changed();
    };
    // Without news for a while the speed must still fall to 0.
    const ticker = setInterval(report, 500);
    try {
      await copyTree({
        direction: transfer.direction,
        files: await session.files(),
        localPath: transfer.localPath,
        remotePath: transfer.remotePath,
        replace: this.#replace.get(id) ?? false,
        signal,
        onTotal: ({ files, bytes, skipped }) => {
          total = { files, bytes };
          if (skipped.length > 0) {
            log.info(
              { id, skipped: skipped.slice(0, 100), count: skipped.length },
              'entries were not copied',
            );
          }
          report();
        },
        onBytes: (bytes) => {
          done.bytes += bytes;
          speed.add(bytes, Date.now());
          report();
        },
        onFile: () => {
          done.files += 1;
          report();
        },
        onLeftover: (path) => session.addLeftover(path),
      });
      report();
      this.#queue.finish(id, Date.now());
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, id, name: transfer.name }, 'a transfer failed');
      this.#queue.fail(id, toWire(error), Date.now());
    } finally {
      clearInterval(ticker);
    }
  }

  async #namesAt({ direction, folder }: Plan): Promise<Set<string>> {
    if (direction === 'download') return namesHere(folder);
    const files = await this.#options.session.files();
    return new Set((await files.listAll(folder)).map(({ name }) => name));
  }
}
