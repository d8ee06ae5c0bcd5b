import { exponentialDelayMs } from '#shared/backoff.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import { UnsavedFiles } from './unsaved-files.ts';

/**
 * Maximum time for which a round waits for a stop (ms), so that a node that does not respond does not delay other
 * nodes.
 */
const PATIENCE_MS = 2_000;
/** Time after a failed save of files before the next attempt (ms). */
const RETRY_MS = 10_000;
/**
 * Maximum time before the next attempt for an exited service whose files exceed the limit of separate saves (ms). The
 * files may exceed it for 30 days, and each attempt reads all of them.
 */
const MAX_RETRY_MS = 3_600_000;
/** Minimum time between two reports of the same subject (ms). */
const REPORT_INTERVAL_MS = 600_000;

type Known = Pick<Environment, 'log'> &
  Pick<NodeAccess, 'runtimeOf'> & {
    /**
     * Saves the files that an exited service keeps. The service's files are removed only if this succeeds. Absent if
     * no files are kept.
     */
    readonly keep?: (node: NodeId, service: ServiceId) => Promise<void>;
    /** The list of files that could not be saved, as the last master has stored it. */
    readonly stored?: ConstructorParameters<typeof UnsavedFiles>[0]['stored'];
  };

/** Stops processes that run on a node where they do not belong. At most one stop per process runs at a time. */
export class Evictions {
  readonly #known: Known;
  readonly #patienceMs: number;
  readonly #clock: () => number;
  readonly #underway = new Map<string, Promise<void>>();
  readonly #unsaved: UnsavedFiles;
  /** When a subject was last reported, on the monotonic clock. */
  readonly #reportedAt = new Map<string, number>();

  /** @param clock returns the monotonic time (ms) */
  constructor(known: Known, patienceMs = PATIENCE_MS, clock: () => number = monotonicMs) {
    this.#known = known;
    this.#patienceMs = patienceMs;
    this.#clock = clock;
    this.#unsaved = new UnsavedFiles({ log: known.log, stored: known.stored, clock });
  }

  /**
   * Stops a service on a node without giving it time to save. Then stores the files that the service keeps, and
   * removes all its files from the node. Resolves when that is done, or after 2 s; the work then continues. Never
   * rejects: a failure is logged, and the attempt is repeated when the service is observed on the node again. After a
   * failed save, the next attempt begins 10 s later at the earliest.
   */
  end(node: NodeId, service: ServiceId): Promise<void> {
    // The retry delay does not grow here. A process that runs again must be stopped soon, even if its files have
    // exceeded the limit for a long time.
    if (this.#sinceFailure(node, service) < RETRY_MS) return Promise.resolve();
    return this.#once(node, service, async (runtime) => {
      await runtime.stop(service, { graceMs: 0 });
      await this.#keep(node, service);
      await runtime.forget(service);
    });
  }

  /**
   * Removes the files of an exited service from a node, after the files that the service keeps are stored. Waits and
   * handles failures like {@link Evictions.end}, with one difference: the delay after a failure because of
   * `SEPARATE_SAVES_LIMIT` grows with each attempt, up to one hour.
   */
  clear(node: NodeId, service: ServiceId): Promise<void> {
    const { beyondLimit = 0 } = this.#unsaved.failureOf(node, service) ?? {};
    const range = { firstMs: RETRY_MS, maxMs: MAX_RETRY_MS };
    const retryMs = exponentialDelayMs(Math.max(0, beyondLimit - 1), range);
    // The files may be many, and the node reports them again every second.
    if (this.#sinceFailure(node, service) < retryMs) return Promise.resolve();
    return this.#once(node, service, async (runtime) => {
      await this.#keep(node, service);
      await runtime.forget(service);
    });
  }

  /**
   * Returns the services that do not belong on a node any more, but whose files on it are not saved, or are being saved
   * now. While there are such services, the rules do not release the node.
   *
   * @param onlyKnown as for {@link UnsavedFiles.on}
   */
  unsavedOn(node: NodeId, onlyKnown: boolean): ServiceId[] {
    return this.#unsaved.on(node, onlyKnown);
  }

  /** Removes entries whose files no longer exist, as {@link UnsavedFiles.forgetRemoved} does. */
  forgetRemoved(isThere: (node: NodeId, service: ServiceId) => boolean): Promise<void> {
    return this.#unsaved.forgetRemoved(isThere);
  }

  #keep(node: NodeId, service: ServiceId): Promise<void> {
    return this.#unsaved.save(node, service, async () => this.#known.keep?.(node, service));
  }

  /** Returns the time since the last failed attempt to save a service's files (ms). Infinity if there was none. */
  #sinceFailure(node: NodeId, service: ServiceId): number {
    return this.#clock() - (this.#unsaved.failureOf(node, service)?.failedAt ?? -Infinity);
  }

  /**
   * Reports whether a subject may be reported now, because its last report is at least ten minutes old. If so, marks
   * it as reported.
   */
  mayReport(subject: string): boolean {
    const now = this.#clock();
    for (const [known, at] of this.#reportedAt)
      if (now - at >= REPORT_INTERVAL_MS) this.#reportedAt.delete(known);
    if (this.#reportedAt.has(subject)) return false;
    this.#reportedAt.set(subject, now);
    return true;
  }

  async #once(node: NodeId, service: ServiceId, work: (runtime: Runtime) => Promise<void>): Promise<void> {
    const key = `${node} ${service}`;
    const done =
      this.#underway.get(key) ??
      work(this.#known.runtimeOf(node))
        .catch((error: unknown) => this.#failed(error, node, service))
        .finally(() => this.#underway.delete(key));
    this.#underway.set(key, done);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs);
    });
    await Promise.race([done, late]);
    clearTimeout(timer);
  }

  /**
   * Logs a failed stop. A node may report any number of services, so at most one failure of a node is logged every
   * ten minutes.
   */
  #failed(error: unknown, node: NodeId, service: ServiceId): void {
    if (!this.mayReport(`failures on ${node}`)) return;
    this.#known.log.warn(
      { err: error, node, service },
      'a service that does not belong on a node could not be removed yet',
    );
  }
}
