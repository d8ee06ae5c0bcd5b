import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Action, ActionOf } from '#master/core/action.ts';
import { requesterOf } from '#master/core/fleet/spending.ts';
import type { NodeId, NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import type { NodeOrder } from '#master/nodes/node.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitNodeEvent, emitMasterTrouble } from '#master/state/feed/emit-event.ts';

/** Actions on nodes. */
type NodeAction = ActionOf<'order' | 'drain' | 'resume' | 'release'>;

/**
 * Carries out the node actions of a plan. Orders and releases take long, so they run in parallel with the rounds,
 * one per node.
 */
export class NodeActions {
  readonly #context: Pick<Documents, 'config' | 'overrides'> &
    Pick<Environment, 'log'> &
    Pick<NodeAccess, 'registry'> &
    Feed;
  readonly #onDone: () => void;
  readonly #tasks = new Map<NodeId, Promise<void>>();

  /** @param onDone called when an order or a release has finished, successfully or not */
  constructor(
    context: Pick<Documents, 'config' | 'overrides'> &
      Pick<Environment, 'log'> &
      Pick<NodeAccess, 'registry'> &
      Feed,
    onDone: () => void,
  ) {
    this.#context = context;
    this.#onDone = onDone;
  }

  /**
   * Carries out the node actions. Resolves when drains and resumes are stored and orders and releases have begun.
   * Does nothing if configure mode was switched on or off since the plan was made; the next round makes a new plan.
   *
   * @param snapshot the snapshot that the actions were planned for
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING if a drain or resume could not be stored. A
   *   failed order or release is only logged and reported in the activity log
   */
  async carryOut(
    actions: readonly Action[],
    { nodes, configureMode }: Pick<Snapshot, 'nodes' | 'configureMode'>,
  ): Promise<void> {
    if (configureMode !== this.#context.config.master.config.provider.configure_mode) return;
    const planned = new Map(nodes.map((node) => [node.id, node]));
    for (const action of actions) {
      if (isNodeAction(action)) await this.#carryOut(action, planned.get(action.node));
    }
  }

  /** Resolves when no order or release is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#tasks.values());
  }

  async #carryOut(action: NodeAction, planned: NodeSnapshot | undefined): Promise<void> {
    const requester = planned === undefined ? 'rules' : requesterOf(planned);
    switch (action.kind) {
      case 'drain':
      case 'resume':
        await this.#schedule(action);
        return;
      case 'order':
        this.#begin(action, () => this.#context.registry.order(toOrder(action)), {
          kind: 'node.ordered',
          message: `${action.node} was ordered: ${action.type} in ${action.location}`,
        });
        return;
      case 'release':
        if (this.#isKeptByPeople(action.node, planned?.leaving ?? false) || this.#isBack(planned)) return;
        this.#begin(action, () => this.#context.registry.release(action.node, requester), {
          kind: 'node.released',
          message: `${action.node} was released: its server is deleted at the provider`,
        });
        return;
    }
  }

  /** Drains or resumes a node. Does nothing if a person has changed the node's schedule since the plan was made. */
  async #schedule({ kind, node, cause }: ActionOf<'drain' | 'resume'>): Promise<void> {
    const { overrides, events, topics } = this.#context;
    const isDrain = kind === 'drain';
    const changed = await (isDrain ? overrides.drainByRules(node) : overrides.resumeByRules(node));
    if (!changed) return;
    const message = isDrain
      ? `${node} is being drained: it accepts no new services, and those on it stop once they are empty`
      : `${node} accepts services again`;
    emitNodeEvent(events, node, { kind: isDrain ? 'node.draining' : 'node.resumed', message, cause });
    topics.publish('nodes');
  }

  /** Reports whether a person has protected or paused the node, or cancelled its release, since the plan was made. */
  #isKeptByPeople(node: NodeId, wasLeaving: boolean): boolean {
    const { held, locked, schedule } = this.#context.overrides.ofNode(node);
    return held || locked || (wasLeaving && schedule !== 'release');
  }

  /**
   * Reports whether the node was lost when the plan was made, but is reachable again. Such a node must not be
   * released, because its services still have players.
   */
  #isBack(planned: NodeSnapshot | undefined): boolean {
    if (planned?.state !== 'LOST') return false;
    return this.#context.registry.nodes().some(({ id, state }) => id === planned.id && state !== 'LOST');
  }

  #begin(
    { kind, node, cause }: ActionOf<'order' | 'release'>,
    work: () => Promise<void>,
    done: { readonly kind: 'node.ordered' | 'node.released'; readonly message: string },
  ): void {
    if (this.#tasks.has(node)) return;
    const { events, topics, log } = this.#context;
    const task = work()
      .then(() => emitNodeEvent(events, node, { ...done, cause }))
      .catch((thrown: unknown) => {
        log.error({ err: thrown, node }, `${kind} failed`);
        emitMasterTrouble(events, toOverworldError(thrown).message, `The attempt to ${kind} ${node} failed`);
      })
      .finally(() => {
        this.#tasks.delete(node);
        topics.publish('nodes');
        this.#onDone();
      });
    this.#tasks.set(node, task);
  }
}

function isNodeAction(action: Action): action is NodeAction {
  return action.kind !== 'request' && action.kind !== 'start' && action.kind !== 'stop';
}

function toOrder({ node, type, location, ramMb }: ActionOf<'order'>): NodeOrder {
  return { node, type, location, ramMb };
}
