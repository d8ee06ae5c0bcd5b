import type { Logger } from 'pino';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Contacts } from '#master/nodes/contact.ts';
import { noShell, type NodeShell } from '#master/nodes/shell.ts';
import type { Runtime, ServiceLocation } from '#master/runtime/runtime.ts';
import {
  createSystemdRuntime,
  type SystemdRuntime,
  type SystemdRuntimeOptions,
} from '#master/runtime/systemd/systemd-runtime.ts';
import type { ServiceId } from '#shared/model/service.ts';

/**
 * Dependencies of the runtimes of nodes. The options from {@link SystemdRuntimeOptions} are the same for all nodes.
 */
export interface NodeRuntimesOptions extends Pick<
  SystemdRuntimeOptions,
  'cluster' | 'templates' | 'sharedFiles' | 'logs' | 'ports' | 'leaveFree' | 'names' | 'javaDownloads'
> {
  readonly contacts: Pick<Contacts, 'of'>;
  /**
   * Returns the address at which players and the balancer reach the node's services. Empty if the address is not
   * known.
   */
  readonly addressOf: (node: NodeId) => string;
  /**
   * Returns where a service should be according to the master. The answer decides whether a node's reports about the
   * service are accepted.
   */
  readonly whereIs: (service: ServiceId, from: NodeId) => ServiceLocation;
  /** Called when a service has exited. */
  readonly onNodeChange: () => void;
  readonly log: Logger;
}

/** The runtimes of nodes that are reached over SSH. Each runtime is created when it is first needed. */
export class NodeRuntimes {
  readonly #options: NodeRuntimesOptions;
  readonly #runtimes = new Map<NodeId, { readonly shell: NodeShell; readonly runtime: SystemdRuntime }>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: NodeRuntimesOptions) {
    this.#options = options;
  }

  /** Returns the runtime of a node. */
  of(node: NodeId): Runtime {
    const { contacts, addressOf, whereIs, onNodeChange, ...same } = this.#options;
    const known = this.#runtimes.get(node);
    const shell = contacts.of(node)?.shell ?? known?.shell ?? noShell(node);
    if (known?.shell === shell) return known.runtime;
    // The node has a new connection object, for example because its machine was switched off and on.
    if (known !== undefined) this.#letGo(node, known.runtime, false);
    const runtime = createSystemdRuntime({
      ...same,
      node,
      shell,
      address: () => addressOf(node),
      whereIs: (service) => whereIs(service, node),
    });
    runtime.onExit(onNodeChange);
    this.#runtimes.set(node, { shell, runtime });
    return runtime;
  }

  /** Removes the runtimes of nodes that no longer exist, and what the master stores about these nodes. */
  keepOnly(nodes: ReadonlySet<NodeId>): void {
    for (const [node, { runtime }] of this.#runtimes) {
      if (nodes.has(node)) continue;
      this.#runtimes.delete(node);
      this.#letGo(node, runtime, true);
    }
  }

  /** Disconnects from all nodes. Services keep running. */
  async close(): Promise<void> {
    for (const [node, { runtime }] of this.#runtimes) this.#letGo(node, runtime, false);
    await Promise.all(this.#closing);
  }

  /**
   * Disconnects from a node in the background, because a node that does not respond must not delay rounds of the
   * control loop.
   */
  #letGo(node: NodeId, runtime: SystemdRuntime, nodeGone: boolean): void {
    const { log } = this.#options;
    const closed = runtime
      .close({ nodeGone })
      .catch((error: unknown) =>
        log.warn({ err: error, node }, 'the connection to a node could not be closed'),
      )
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
