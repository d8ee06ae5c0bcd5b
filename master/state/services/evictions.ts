import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';

/** Maximum time for which a round waits for a stop (ms), so that a node that does not respond delays no other node. */
const PATIENCE_MS = 2_000;
/** Minimum time between two reports of the same subject (ms). */
const TOLD_EVERY_MS = 600_000;

type Known = Pick<Environment, 'log'> &
  Pick<NodeAccess, 'runtimeOf'> & {
    /** Saves what an exited service keeps. Its files are removed only if this succeeds. Absent: it keeps nothing. */
    readonly keep?: (node: NodeId, service: ServiceId) => Promise<void>;
  };

/** Stops processes that run on a node where they do not belong. At most one stop per process runs at a time. */
export class Evictions {
  readonly #known: Known;
  readonly #patienceMs: number;
  readonly #underway = new Map<string, Promise<void>>();
  /** When a subject was last reported, on the monotonic clock. */
  readonly #toldAt = new Map<string, number>();

  constructor(known: Known, patienceMs = PATIENCE_MS) {
    this.#known = known;
    this.#patienceMs = patienceMs;
  }

  /**
   * Stops a service on a node without giving it time to save, and removes its files there, after the files that it keeps
   * are stored. Waits for up to 2 s. A failed attempt is repeated when the service is observed on the node again.
   */
  end(node: NodeId, service: ServiceId): Promise<void> {
    return this.#once(node, service, async (runtime) => {
      await runtime.stop(service, { graceMs: 0 });
      await this.#known.keep?.(node, service);
      await runtime.forget(service);
    });
  }

  /** Removes the files of an exited service. Waits for up to 2 s, like {@link Evictions.end}. */
  clear(node: NodeId, service: ServiceId): Promise<void> {
    return this.#once(node, service, async (runtime) => {
      await this.#known.keep?.(node, service);
      await runtime.forget(service);
    });
  }

  /** Reports whether a subject was not reported within the last ten minutes, and marks it as reported. */
  isNews(subject: string): boolean {
    const now = monotonicMs();
    for (const [known, at] of this.#toldAt) if (now - at >= TOLD_EVERY_MS) this.#toldAt.delete(known);
    if (this.#toldAt.has(subject)) return false;
    this.#toldAt.set(subject, now);
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

  /** Logs a failed stop, once per node, as a node may report any number of services. */
  #failed(error: unknown, node: NodeId, service: ServiceId): void {
    if (!this.isNews(`failures on ${node}`)) return;
    this.#known.log.warn(
      { err: error, node, service },
      'a service that does not belong on a node could not be removed yet',
    );
  }
}
