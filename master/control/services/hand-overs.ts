import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { HandOverRefresh } from '#master/runtime/runtime.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { handOverFile } from '#master/templates/hand-over.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ObservedNodes } from '../loop/observed-processes.ts';

const NOT_DONE = "the services of a node could not be given the master's address yet";

/** Delay before a failed attempt is repeated on a node that answers (ms). */
const TRY_AGAIN_MS = 60_000;

/**
 * Gives adopted services a file with the address and the fingerprint of this master. Otherwise, they would keep the
 * file of the master that started them. That master may have been on another machine or port. Plugins read the file
 * each time before they connect, so no service has to restart (docs/adr/0022).
 *
 * Each adopted process is checked once, in one request per node. A failed attempt is repeated when the node answers
 * again after an interruption, and after one minute.
 */
export class HandOvers {
  readonly #context: Pick<Environment, 'log'> &
    Pick<NodeAccess, 'runtimeOf'> &
    Pick<ServiceStores, 'records'> &
    Pick<IngressAccess, 'link'> &
    Pick<Feed, 'events'>;
  readonly #clock: () => number;
  /** For each service whose file is known to be current: `adoptedAt` of the process that has this file. */
  readonly #current = new WeakMap<ServiceRecord, number>();
  /** For each service whose failure was reported: `adoptedAt` of the process to which the report refers. */
  readonly #reported = new WeakMap<ServiceRecord, number>();
  readonly #tasks = new Map<NodeId, Promise<void>>();
  /** When the last attempt on a node failed (ms on the monotonic clock). */
  readonly #failedAt = new Map<NodeId, number>();

  /** @param clock returns the monotonic time (ms) */
  constructor(
    context: Pick<Environment, 'log'> &
      Pick<NodeAccess, 'runtimeOf'> &
      Pick<ServiceStores, 'records'> &
      Pick<IngressAccess, 'link'> &
      Pick<Feed, 'events'>,
    clock: () => number = monotonicMs,
  ) {
    this.#context = context;
    this.#clock = clock;
  }

  /** Begins the requests that are due. Call it in every round, after the records are updated from the observation. */
  carryOn({ answered, silent }: Pick<ObservedNodes, 'answered' | 'silent'>): void {
    for (const node of silent) this.#failedAt.delete(node);
    for (const [node, records] of this.#due(answered)) this.#begin(node, records);
  }

  /** Resolves when no request is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#tasks.values());
  }

  /**
   * Returns, by node, the adopted services whose files are not known to be current. A node may report services that
   * do not belong on it (adoptions.ts), so only the master's own records decide which tokens a node gets.
   */
  #due(answered: ReadonlySet<NodeId>): ReadonlyMap<NodeId, ServiceRecord[]> {
    const due = new Map<NodeId, ServiceRecord[]>();
    for (const record of this.#context.records.all) {
      const { node, startedAt, adoptedAt, placed } = record;
      if (node === null || startedAt === null || adoptedAt === null) continue;
      if (this.#current.get(record) === adoptedAt || (placed?.given.plugin ?? null) === null) continue;
      if (!answered.has(node) || this.#tasks.has(node) || this.#waits(node)) continue;
      const others = due.get(node);
      if (others === undefined) due.set(node, [record]);
      else others.push(record);
    }
    return due;
  }

  #waits(node: NodeId): boolean {
    return this.#clock() - (this.#failedAt.get(node) ?? -Infinity) < TRY_AGAIN_MS;
  }

  #begin(node: NodeId, records: readonly ServiceRecord[]): void {
    const task = this.#refresh(node, records)
      .catch((error: unknown) => {
        this.#failedAt.set(node, this.#clock());
        this.#context.log.warn({ err: error, node }, NOT_DONE);
      })
      .finally(() => this.#tasks.delete(node));
    this.#tasks.set(node, task);
  }

  async #refresh(node: NodeId, records: readonly ServiceRecord[]): Promise<void> {
    const { runtimeOf, link } = this.#context;
    const adopted = new Map(records.map((record) => [record, record.adoptedAt ?? 0]));
    const files = records.map(({ id }) => ({ id, content: handOverFile(link.handOver(id)) }));
    this.#finish(node, adopted, await runtimeOf(node).refreshHandOver(files));
  }

  #finish(
    node: NodeId,
    adopted: ReadonlyMap<ServiceRecord, number>,
    { written, failed }: HandOverRefresh,
  ): void {
    const reasons = new Map(failed.map(({ id, why }) => [id, why]));
    if (failed.length > 0) this.#failedAt.set(node, this.#clock());
    else this.#failedAt.delete(node);
    for (const [record, at] of adopted) {
      const why = reasons.get(record.id);
      if (why === undefined) this.#current.set(record, at);
      else this.#report(record, at, why);
    }
    if (written.length > 0)
      this.#context.log.info(
        { node, services: written.length },
        "adopted services were given the master's address",
      );
  }

  /** Reports a failure, but only once for each process. */
  #report(record: ServiceRecord, at: number, why: string): void {
    if (this.#reported.get(record) === at) return;
    this.#reported.set(record, at);
    emitServiceEvent(this.#context.events, record, {
      kind: 'service.plugin-silent',
      message: `The plugin in ${record.id} may not find this master`,
      cause: `the file with the master's address could not be replaced yet: ${why}`,
    });
  }
}
