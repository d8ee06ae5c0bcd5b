import { rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { z } from 'zod';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { serviceIdSchema, type ServiceId } from '#shared/model/service-id.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import {
  claimableBy,
  openAllowances,
  toKept,
  type Allow,
  type AllowanceEvent,
  type Allowances,
  type StoredAllowances,
} from './state.ts';
import { decideAllowances } from './decide-allowances.ts';
import type { LinkTiming } from '../timing.ts';

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Slots that each proxy may use; null if unknown. */
  allowances: z.record(serviceIdSchema, z.int().min(0).nullable()),
  /** Players beyond these slots, for proxies with such players. */
  beyond: z.record(serviceIdSchema, z.int().min(0)).default({}),
});
type AllowanceFile = z.infer<typeof fileSchema>;

/** A proxy's claim to more slots (`claimed`) than it can have (`most`). */
export interface Overclaim {
  readonly proxy: ServiceId;
  readonly claimed: number;
  readonly most: number;
}

export interface KeeperOptions {
  /** Path of `allowances.json` in the state folder. */
  readonly path: string;
  /** Whether no proxy has ever been linked. If true, a missing `allowances.json` is not a loss of data. */
  readonly isFirst: boolean;
  readonly log: Logger;
  readonly timing: LinkTiming;
  /** Sends an allowance (number of slots) to a proxy, if it is linked. */
  readonly send: (allow: Allow) => void;
  /** Called once for each proxy that claims more slots than it can have. */
  readonly onOverclaim: (overclaim: Overclaim) => void;
}

/**
 * Stores the allowance of each proxy (how many slots it may use), and answers requests for more slots within a time
 * limit. An increase is written to disk before it is sent to the proxy. A master that was killed therefore never
 * grants the same slot twice.
 */
export class AllowanceKeeper {
  readonly #options: KeeperOptions;
  readonly #file: JsonFile<AllowanceFile | null>;
  #allowances: Allowances;
  #pending: Allow[] = [];
  #isSending = false;
  #sent: Promise<void> = Promise.resolve();
  #failing = false;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #doubted = new Set<ServiceId>();
  readonly #tick: NodeJS.Timeout;
  #closed = false;

  private constructor(options: KeeperOptions, file: JsonFile<AllowanceFile | null>) {
    this.#options = options;
    this.#file = file;
    this.#allowances = openAllowances(
      file.data === null ? (options.isFirst ? new Map() : null) : toMap(file.data),
    );
    // The allowances may have been lost at an earlier start, so that some of the stored ones are still unknown.
    this.#presumeUnknown();
    this.#tick = setInterval(() => {
      this.take({ kind: 'tick' });
      this.#sendAllowances();
    }, options.timing.tickMs);
  }

  /**
   * Reads the stored allowances. An invalid file is renamed, and its allowances count as lost. The proxies then
   * report how many slots they use.
   */
  static async open(options: KeeperOptions): Promise<AllowanceKeeper> {
    return new AllowanceKeeper(options, await openOrSetAside(options));
  }

  /** Returns the maximum number of slots that a proxy may use; 0 if unknown. */
  grantedTo(proxy: ServiceId): number {
    return this.#allowances.holders.get(proxy)?.granted ?? 0;
  }

  /**
   * Applies an event (see {@link decideAllowances}), and sends the resulting messages once the allowances are on
   * disk. If the write fails, no message is sent, and each tick repeats the write. Does nothing after {@link close}.
   */
  take(event: AllowanceEvent): void {
    if (this.#closed) return;
    this.#doubt(event);
    const wasLost = this.#allowances.lost;
    const { state, allow } = decideAllowances(this.#allowances, event);
    this.#allowances = state;
    this.#pending.push(...allow);
    if (event.kind === 'more') this.#after(this.#options.timing.moreMs, { ...event, kind: 'overdue' });
    if (wasLost && !state.lost) this.#presumeUnknown();
    if (allow.length > 0) this.#sendAllowances();
  }

  /** Stops all timers. Resolves when the write in progress has finished and its messages are sent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#tick);
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#sent;
  }

  #doubt(event: AllowanceEvent): void {
    if (event.kind === 'network') {
      const alive = new Set(event.proxies);
      for (const proxy of this.#doubted) if (!alive.has(proxy)) this.#doubted.delete(proxy);
    }
    if (event.kind !== 'linked' && event.kind !== 'answered') return;
    const { proxy, allowance: claimed } = event;
    const most = claimableBy(this.#allowances, proxy);
    if (most === null || claimed <= most || this.#doubted.has(proxy)) return;
    this.#doubted.add(proxy);
    this.#options.log.warn(
      { service: proxy, claimed, most },
      'a proxy reports more slots than it was granted',
    );
    this.#options.onOverclaim({ proxy, claimed, most });
  }

  #presumeUnknown(): void {
    for (const [proxy, { known }] of this.#allowances.holders) {
      if (!known) this.#after(this.#options.timing.presumeMs, { kind: 'presumed', proxy });
    }
  }

  #after(ms: number, event: AllowanceEvent): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.take(event);
    }, ms);
    this.#timers.add(timer);
  }

  /** Sends pending messages in the order in which they were created. */
  #sendAllowances(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sent = this.#sendPending();
  }

  async #sendPending(): Promise<void> {
    try {
      do {
        const kept = toKept(this.#allowances);
        const count = this.#pending.length;
        if (this.#differs(kept) && !(await this.#write(kept))) return;
        for (const allow of this.#pending.splice(0, count)) this.#options.send(allow);
      } while (this.#pending.length > 0);
    } finally {
      this.#isSending = false;
    }
  }

  /**
   * Writes the allowances to disk.
   *
   * @returns false if the write failed. No messages are sent then until a write at a later tick succeeds
   */
  async #write(kept: StoredAllowances): Promise<boolean> {
    try {
      await this.#file.update(() => toFile(kept));
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) {
        this.#options.log.error(
          { err: error },
          'the slots of proxies cannot be stored; no more slots are granted',
        );
      }
      this.#failing = true;
      return false;
    }
  }

  #differs(kept: StoredAllowances): boolean {
    return !isDeepStrictEqual(this.#file.data, toFile(kept));
  }
}

/**
 * Opens the file of allowances.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openAllowanceFile(path: string): Promise<JsonFile<AllowanceFile | null>> {
  return openJsonFile<AllowanceFile | null>(path, fileSchema.nullable(), null);
}

/**
 * Opens the file of allowances. An invalid file is renamed, and its allowances count as lost. The proxies then report
 * how many slots they use.
 */
async function openOrSetAside({ path, log }: KeeperOptions): Promise<JsonFile<AllowanceFile | null>> {
  try {
    return await openAllowanceFile(path);
  } catch (error) {
    if (!hasCode(error, 'DATA_FAULTY')) throw error;
    log.error(
      { err: error },
      'the granted slots cannot be read; the file was moved to allowances.json.faulty',
    );
    await rename(path, `${path}.faulty`);
    return await openAllowanceFile(path);
  }
}

function toMap({ allowances, beyond }: AllowanceFile): StoredAllowances {
  return new Map(
    Object.entries(allowances).map(([id, granted]) => [id, { granted, beyond: beyond[id] ?? 0 }]),
  );
}

function toFile(kept: StoredAllowances): AllowanceFile {
  const file: AllowanceFile = { version: 1, allowances: {}, beyond: {} };
  for (const [id, { granted, beyond }] of kept) {
    file.allowances[id] = granted;
    if (beyond > 0) file.beyond[id] = beyond;
  }
  return file;
}
