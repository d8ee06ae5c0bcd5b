import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';

/** A round waits so long for an end, ms: a node that does not end what it should holds up no other. */
const PATIENCE_MS = 2_000;
/** What a node says again and again is told once in this time, ms. */
const TOLD_EVERY_MS = 600_000;

type Known = Pick<Environment, 'log'> & Pick<NodeAccess, 'runtimeOf'>;

/** Ends what runs where it does not belong, each once at a time, whatever the node does meanwhile. */
export class Evictions {
  readonly #known: Known;
  readonly #patienceMs: number;
  readonly #underway = new Map<string, Promise<void>>();
  /** When a subject was told of, on a clock that nobody sets. */
  readonly #toldAt = new Map<string, number>();

  constructor(known: Known, patienceMs = PATIENCE_MS) {
    this.#known = known;
    this.#patienceMs = patienceMs;
  }

  /** Ends a service on a node and clears it away; waits for that a while. What fails is begun again when it is seen again. */
  end(node: NodeId, service: ServiceId): Promise<void> {
    return this.#once(node, service, async (runtime) => {
      await runtime.stop(service, { graceMs: 0 });
      await runtime.forget(service);
    });
  }

  /** Clears away what is left of a service that has ended, in the same way. */
  clear(node: NodeId, service: ServiceId): Promise<void> {
    return this.#once(node, service, (runtime) => runtime.forget(service));
  }

  /** True when people have not been told of this lately: then they are to be told now. */
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

  /** Told once for all of a node: it may claim as many as it likes. */
  #failed(error: unknown, node: NodeId, service: ServiceId): void {
    if (!this.isNews(`failures on ${node}`)) return;
    this.#known.log.warn(
      { err: error, node, service },
      'what does not belong there could not be cleared away yet',
    );
  }
}
