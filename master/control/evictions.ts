import type { NodeId } from '#master/core/snapshot.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Parts } from './parts.ts';

/** A round waits so long for an end, ms: a node that does not end what it should holds up no other. */
const PATIENCE_MS = 2_000;
/** What a node says again and again is told once in this time, ms. */
const TOLD_EVERY_MS = 600_000;

type Known = Pick<Parts, 'runtimeOf' | 'log'>;

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
  async end(node: NodeId, service: ServiceId): Promise<void> {
    const key = `${node} ${service}`;
    const ending = this.#underway.get(key) ?? this.#end(node, service);
    this.#underway.set(key, ending);
    void ending.finally(() => this.#underway.delete(key));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs);
    });
    await Promise.race([ending, late]);
    clearTimeout(timer);
  }

  /** True when people have not been told of this lately: then they are to be told now. */
  isNews(subject: string): boolean {
    const now = performance.now();
    for (const [known, at] of this.#toldAt) if (now - at >= TOLD_EVERY_MS) this.#toldAt.delete(known);
    if (this.#toldAt.has(subject)) return false;
    this.#toldAt.set(subject, now);
    return true;
  }

  async #end(node: NodeId, service: ServiceId): Promise<void> {
    const { runtimeOf, log } = this.#known;
    try {
      await runtimeOf(node).stop(service, { graceMs: 0 });
      await runtimeOf(node).forget(service);
    } catch (error) {
      log.warn({ err: error, node, service }, 'what runs where it does not belong could not be ended yet');
    }
  }
}
