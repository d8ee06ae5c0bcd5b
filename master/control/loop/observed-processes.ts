import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { ObservedProcess } from '#master/runtime/runtime.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';

/** A process and the node on which it was observed. */
export interface ProcessOnNode {
  readonly node: NodeId;
  readonly process: ObservedProcess;
}

/** The processes that were observed on all nodes. */
export interface ObservedNodes {
  readonly seen: readonly ProcessOnNode[];
  /** Nodes that answered this observation. */
  readonly answered: ReadonlySet<NodeId>;
  /** Nodes that could not be observed. It is unknown which services run there. */
  readonly silent: ReadonlySet<NodeId>;
}

/** Maximum time to wait for a node's answer (ms), so that one slow node does not delay all other nodes. */
const PATIENCE_MS = 2_000;

type Look = readonly ObservedProcess[] | null;

/** Lists the processes of services on all nodes, and the files of services that have exited. */
export class NodeObserver {
  readonly #context: Pick<Environment, 'log'> & Pick<NodeAccess, 'registry' | 'runtimeOf'>;
  readonly #patienceMs: number;
  /**
   * Nodes whose observation is in progress. Such a node is not observed again until that observation has finished. An
   * answer that comes too late is discarded.
   */
  readonly #underway = new Set<NodeId>();

  constructor(
    context: Pick<Environment, 'log'> & Pick<NodeAccess, 'registry' | 'runtimeOf'>,
    patienceMs = PATIENCE_MS,
  ) {
    this.#context = context;
    this.#patienceMs = patienceMs;
  }

  /**
   * Observes all nodes in parallel. A node that is unreachable, fails, or does not answer within 2 s (`patienceMs`)
   * is in `silent`. Never rejects because of a node.
   */
  async observe(): Promise<ObservedNodes> {
    const seen: ProcessOnNode[] = [];
    const answered = new Set<NodeId>();
    const silent = new Set<NodeId>();
    const nodes = this.#context.registry.nodes();
    await Promise.all(
      nodes.map(async ({ id, silentSince }) => {
        const processes = silentSince === null ? await this.#inTime(id) : null;
        (processes === null ? silent : answered).add(id);
        for (const process of processes ?? []) seen.push({ node: id, process });
      }),
    );
    return { seen, answered, silent };
  }

  /** Observes a node. Returns null if the node did not answer in time, or if the observation failed. */
  async #inTime(node: NodeId): Promise<Look> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.#patienceMs);
    });
    try {
      return await Promise.race([this.#observe(node), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #observe(node: NodeId): Promise<Look> {
    if (this.#underway.has(node)) return Promise.resolve(null);
    this.#underway.add(node);
    return this.#context
      .runtimeOf(node)
      .observe()
      .then((processes) => {
        this.#context.registry.setProblem(node, null);
        return processes;
      })
      .catch((error: unknown) => this.#failed(node, error))
      .finally(() => this.#underway.delete(node));
  }

  /**
   * Logs a failed observation. Also displays the error as a note on the node, unless the node is unreachable, because
   * its connection already reports that. Returns null.
   */
  #failed(node: NodeId, error: unknown): null {
    const { log, registry } = this.#context;
    if (hasCode(error, 'NODE_UNREACHABLE')) {
      log.debug({ node }, 'a node could not be observed');
    } else {
      log.warn({ err: error, node }, 'a node could not be observed');
      registry.setProblem(node, toOverworldError(error).message);
    }
    return null;
  }
}

/** Groups the observed processes by service. */
export function byService({ seen }: ObservedNodes): ReadonlyMap<ServiceId, readonly ProcessOnNode[]> {
  const observed = new Map<ServiceId, ProcessOnNode[]>();
  for (const one of seen) {
    const others = observed.get(one.process.spec.id);
    if (others === undefined) observed.set(one.process.spec.id, [one]);
    else others.push(one);
  }
  return observed;
}
