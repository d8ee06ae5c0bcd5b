import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Contacts } from './contact.ts';
import { LostNodes, type LostNodesOptions } from './lost-nodes.ts';
import type { MachineSeed, Machines } from './machines.ts';
import type { NodeInfo, NodeOrder, NodeRegistry, Supply } from './node.ts';
import { NodeLifecycle, type NodeLifecycleOptions } from './node-lifecycle.ts';

/**
 * Access to a cloud provider: its machines, the connections to them, and the function that creates the name and keys
 * of a new machine.
 */
export interface CloudAccess extends Pick<NodeLifecycleOptions, 'keyMadeAt' | 'readyWithinMs'> {
  readonly machines: Machines;
  readonly contacts: Contacts;
  readonly makeSeed: () => MachineSeed;
  /** Removes the data of machines that no longer exist. */
  readonly tidy: () => void;
}

export interface RegistryOptions extends Pick<
  NodeLifecycleOptions,
  'now' | 'overridesOf' | 'onOverdue' | 'log'
> {
  /**
   * Returns the master's own machine as a node. The function is null, or returns null, if this machine runs no
   * services.
   */
  readonly local: (() => Promise<NodeInfo | null>) | null;
  /**
   * The cloud provider. It is opened only when it is needed, so that a master without cloud nodes does not load the
   * API client and SSH.
   */
  readonly cloud: {
    /** Reports whether the provider is needed. Called at each refresh until it returns true. */
    readonly isNeeded: () => boolean;
    /** Opens the provider. Called once the provider is needed, and again at each refresh until it succeeds. */
    readonly open: () => Promise<CloudAccess>;
  };
  readonly silence: LostNodesOptions;
}

interface OpenCloud extends CloudAccess {
  readonly lifecycle: NodeLifecycle;
}

/** Foreign servers as long as no cloud provider is open. */
const NONE: readonly ForeignServer[] = [];

/**
 * Opens the registry of all nodes. Does not open the cloud provider: the first {@link NodeRegistry.refresh} that
 * needs the provider opens it.
 */
export async function openRegistry(options: RegistryOptions): Promise<NodeRegistry> {
  return new Registry(options, (await options.local?.()) ?? null);
}

class Registry implements NodeRegistry {
  readonly #options: RegistryOptions;
  readonly #lost: LostNodes;
  readonly #problems = new Map<NodeId, string>();
  readonly #released = new Set<NodeId>();
  #local: NodeInfo | null;
  #cloud: OpenCloud | null = null;
  /** Why the last attempt to open the cloud provider failed; null if there is no problem. */
  #openProblem: string | null = null;

  constructor(options: RegistryOptions, local: NodeInfo | null) {
    this.#options = options;
    this.#lost = new LostNodes(options.silence);
    this.#local = local;
  }

  nodes(): readonly NodeInfo[] {
    return this.#all().map((node) => ({
      ...node,
      state: this.#lost.has(node.id) ? 'LOST' : node.state,
      note: node.note ?? this.#problems.get(node.id) ?? null,
    }));
  }

  async refresh(): Promise<void> {
    await Promise.all([this.#refreshLocal(), this.#refreshCloud()]);
    const nodes = this.#all();
    this.#lost.judge(nodes, this.#isBlind());
    const ids = new Set(nodes.map(({ id }) => id));
    for (const id of this.#problems.keys()) if (!ids.has(id)) this.#problems.delete(id);
  }

  listed(): boolean {
    return this.#cloud === null ? !this.#options.cloud.isNeeded() : this.#cloud.machines.listed();
  }

  trouble(): string | null {
    if (this.#cloud === null) return this.#openProblem;
    return this.#cloud.machines.trouble() ?? this.#cloud.lifecycle.trouble();
  }

  market(): Supply | null {
    return this.#cloud?.machines.supply() ?? null;
  }

  async order(order: NodeOrder): Promise<void> {
    const { machines, lifecycle, makeSeed } = this.#opened(`order ${order.node}`);
    lifecycle.expect(order.node);
    await machines.order(order, makeSeed());
  }

  async release(node: NodeId, requester: ReleaseRequester): Promise<void> {
    const { machines } = this.#opened(`release ${node}`);
    this.#released.add(node);
    try {
      await machines.release(node, requester);
    } catch (error) {
      // If the deletion has not begun, the node stays, and may later be deleted by hand.
      if (machines.all().some((one) => one.node === node && one.state !== 'deleting'))
        this.#released.delete(node);
      throw error;
    }
  }

  foreignServers(): readonly ForeignServer[] {
    return this.#cloud?.machines.foreignServers() ?? NONE;
  }

  async deleteForeignServer(server: Pick<ForeignServer, 'name' | 'network'>): Promise<void> {
    await this.#opened(`delete ${server.name}`).machines.deleteForeignServer(server);
  }

  hasReleased(node: NodeId): boolean {
    return this.#released.has(node);
  }

  setProblem(node: NodeId, problem: string | null): void {
    if (problem === null) this.#problems.delete(node);
    else this.#problems.set(node, problem);
  }

  /** Reports whether the silence of a node proves nothing, so that no further node counts as lost. */
  #isBlind(): boolean {
    if (this.#cloud === null) return this.#openProblem !== null;
    return this.#cloud.machines.isBlind() || this.#cloud.lifecycle.trouble() !== null;
  }

  #all(): NodeInfo[] {
    return [...(this.#local === null ? [] : [this.#local]), ...(this.#cloud?.lifecycle.nodes() ?? [])];
  }

  async #refreshLocal(): Promise<void> {
    this.#local = (await this.#options.local?.()) ?? null;
  }

  async #refreshCloud(): Promise<void> {
    if (this.#cloud === null && this.#options.cloud.isNeeded()) await this.#openCloud();
    if (this.#cloud === null) return;
    const { machines, lifecycle, tidy } = this.#cloud;
    await machines.refresh();
    lifecycle.update();
    if (machines.listed()) tidy();
  }

  async #openCloud(): Promise<void> {
    const { cloud, now, overridesOf, onOverdue, log } = this.#options;
    try {
      const opened = await cloud.open();
      const release = (node: NodeId): Promise<void> => this.release(node, 'rules');
      const lifecycle = new NodeLifecycle({ ...opened, now, overridesOf, onOverdue, log, release });
      this.#cloud = { ...opened, lifecycle };
      this.#openProblem = null;
    } catch (error) {
      // Other nodes continue to work; nothing is ordered while the existing cloud nodes are unknown.
      this.#openProblem = toOverworldError(error).message;
    }
  }

  #opened(what: string): OpenCloud {
    if (this.#cloud !== null) return this.#cloud;
    throw new OverworldError('INTERNAL', { what: `${what}, but no cloud provider is open` });
  }
}
