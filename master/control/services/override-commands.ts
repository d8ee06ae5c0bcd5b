import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeOverrides } from '#master/state/overrides/overrides.ts';
import type { Loop } from '../loop/loop.ts';
import { viewNode, type NodeView } from '#master/state/nodes/node-view.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitServiceEvent, emitNodeEvent, type NodeEvent } from '#master/state/feed/emit-event.ts';

/** Command of a person for a node. */
export type Schedule = 'cordon' | 'drain' | 'release' | 'resume';

/**
 * Carries out the overrides that people set: pause, protect, cordon, drain and release. Each command resolves once
 * its override is on disk, and rejects if the override cannot be stored. Setting an override that already applies is
 * allowed and causes no further event.
 */
export class OverrideCommands {
  readonly #context: Pick<Documents, 'config' | 'overrides'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff'> &
    Pick<ServiceStores, 'records'> &
    Feed;
  readonly #loop: Pick<Loop, 'poke'>;

  constructor(
    context: Pick<Documents, 'config' | 'overrides'> &
      Pick<NodeAccess, 'registry' | 'nodeBackoff'> &
      Pick<ServiceStores, 'records'> &
      Feed,
    loop: Pick<Loop, 'poke'>,
  ) {
    this.#context = context;
    this.#loop = loop;
  }

  /**
   * Pauses (`held`) or resumes automation of a service.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async holdService(id: ServiceId, held: boolean, actor: string): Promise<void> {
    const { records, events } = this.#context;
    const record = records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    // The request is being withdrawn before the service has a process, so there is nothing to pause.
    if (held && record.node === null && record.stopping !== null) {
      throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    }
    const before = record.held;
    record.held = held;
    try {
      // Saves even if nothing changed, because an earlier, equal override may not have reached the disk yet.
      await records.save();
    } catch (error) {
      record.held = before;
      throw error;
    }
    if (before === held) return;
    emitServiceEvent(events, record, {
      kind: held ? 'service.held' : 'service.put-back',
      message: holdSentence(id, held),
      cause: askedForBy(actor),
      actor,
    });
    this.#loop.poke();
  }

  /**
   * Pauses (`held`) or resumes automation of a template's services.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async holdTemplate(id: TemplateId, held: boolean, actor: string): Promise<void> {
    const { config, overrides, events, topics } = this.#context;
    config.template(id);
    if (!(await overrides.holdTemplate(id, held))) return;
    events.add({
      kind: held ? 'template.held' : 'template.put-back',
      subject: { type: 'template', id },
      template: id,
      actor,
      message: holdSentence(`template ${id}`, held),
      cause: askedForBy(actor),
    });
    topics.publish('templates');
    this.#loop.poke();
  }

  /**
   * Pauses (`held`) or resumes automation of a node. A pause ends a drain by the rules.
   *
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async holdNode(id: NodeId, held: boolean, actor: string): Promise<void> {
    this.#node(id);
    await this.#change(
      id,
      { held },
      {
        kind: held ? 'node.held' : 'node.put-back',
        message: holdSentence(id, held),
        actor,
      },
    );
  }

  /**
   * Protects a node, or ends its protection. The rules never drain or release a protected node, so the protection
   * ends a drain by the rules.
   *
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async lockNode(id: NodeId, locked: boolean, actor: string): Promise<void> {
    this.#node(id);
    await this.#change(
      id,
      { locked },
      {
        kind: locked ? 'node.locked' : 'node.unlocked',
        message: locked
          ? `${id} was protected from release: no rule drains or releases it`
          : `${id} can be released again`,
        actor,
      },
    );
  }

  /**
   * Cordons, drains, releases or resumes a node.
   *
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, NODE_NOT_READY, NODE_NOT_RENTED, NODE_LOCKED, DISK_FULL,
   *   DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async scheduleNode(id: NodeId, to: Schedule, actor: string): Promise<void> {
    const { state, rental, locked, leaving } = this.#node(id);
    if (to === 'release' && rental === null) throw new OverworldError('NODE_NOT_RENTED', { node: id });
    if (to === 'release' && locked) throw new OverworldError('NODE_LOCKED', { node: id });
    // For a node that is booting or lost, the only changes allowed are to release it or to cancel its release.
    const isUp = state === 'READY' || state === 'CORDONED' || state === 'DRAINING';
    if (!isUp && to !== 'release' && !(to === 'resume' && leaving)) {
      throw new OverworldError('NODE_NOT_READY', { node: id, state });
    }
    // The override counts as set by a person even if the rules had already drained the node. The rules then no longer
    // resume the node.
    const change = { schedule: to === 'resume' ? null : to, byRules: false };
    await this.#change(id, change, { ...scheduled(id, to), actor });
    if (to === 'resume') this.#retryStarts(id, actor);
  }

  /** Clears the node's failed starts, so that waiting services are tried there immediately. */
  #retryStarts(id: NodeId, actor: string): void {
    const { nodeBackoff, events, topics } = this.#context;
    if (!nodeBackoff.forgive(id)) return;
    const message = `Failed starts on ${id} are retried immediately`;
    emitNodeEvent(events, id, { kind: 'node.resumed', message, cause: askedForBy(actor), actor });
    topics.publish('nodes');
    this.#loop.poke();
  }

  async #change(
    id: NodeId,
    change: Partial<NodeOverrides>,
    happening: Omit<NodeEvent, 'cause'> & { readonly actor: string },
  ): Promise<void> {
    const { overrides, events, topics } = this.#context;
    if (!(await overrides.changeNode(id, (before) => endingDrain(change, before)))) return;
    emitNodeEvent(events, id, { ...happening, cause: askedForBy(happening.actor) });
    topics.publish('nodes');
    this.#loop.poke();
  }

  #node(id: NodeId): NodeView {
    const { registry, overrides } = this.#context;
    const info = registry.nodes().find((node) => node.id === id);
    if (info === undefined) throw new OverworldError('NODE_NOT_FOUND', { node: id });
    if (info.state === 'DELETING') throw new OverworldError('NODE_GOING', { node: id });
    return viewNode(info, overrides.ofNode(id));
  }
}

/**
 * Returns the change. If it pauses or protects a node that the rules drain, it also ends the drain. Otherwise, the
 * rules would empty a node that people excluded from them.
 */
function endingDrain(change: Partial<NodeOverrides>, { byRules }: NodeOverrides): Partial<NodeOverrides> {
  const isExcluded = change.held === true || change.locked === true;
  return isExcluded && byRules ? { ...change, schedule: null, byRules: false } : change;
}

function scheduled(id: NodeId, to: Schedule): Pick<NodeEvent, 'kind' | 'message'> {
  switch (to) {
    case 'cordon':
      return { kind: 'node.cordoned', message: `${id} accepts no new services` };
    case 'drain':
      return {
        kind: 'node.draining',
        message: `${id} is being drained: it accepts no new services, and those on it stop once they are empty`,
      };
    case 'release':
      return {
        kind: 'node.leaving',
        message: `${id} is released once it is empty: it accepts no new services, and those on it stop once they are empty`,
      };
    case 'resume':
      return { kind: 'node.resumed', message: `${id} accepts services again` };
  }
}

function holdSentence(what: string, held: boolean): string {
  return held ? `Automation of ${what} was paused` : `Automation of ${what} was resumed`;
}

function askedForBy(actor: string): string {
  return `requested by ${actor}`;
}
