import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeOverrides } from './overrides.ts';
import type { Loop } from '../loop/loop.ts';
import { viewNode, type NodeView } from '../nodes/node-view.ts';
import type { Documents } from '../context/documents.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Feed } from '../context/feed.ts';
import { emitServiceEvent, emitNodeEvent, type NodeEvent } from '../feed/emit-event.ts';

/** What a person wants to happen to a node. */
export type Schedule = 'cordon' | 'drain' | 'release' | 'resume';

/**
 * Carries out the overrides that people set: pause, protect, cordon, drain and release. Each override is on disk
 * before its promise resolves; an override that cannot be stored is refused. Setting the same override again is
 * allowed and causes no further event.
 */
export class OverrideCommands {
  readonly #context: Pick<Documents, 'config' | 'overrides'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff'> &
    Pick<ServiceState, 'records'> &
    Feed;
  readonly #loop: Pick<Loop, 'poke'>;

  constructor(
    context: Pick<Documents, 'config' | 'overrides'> &
      Pick<NodeAccess, 'registry' | 'nodeBackoff'> &
      Pick<ServiceState, 'records'> &
      Feed,
    loop: Pick<Loop, 'poke'>,
  ) {
    this.#context = context;
    this.#loop = loop;
  }

  /**
   * Pauses or resumes automation of a service.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, DISK_FULL
   */
  async holdService(id: ServiceId, held: boolean, actor: string): Promise<void> {
    const { records, events } = this.#context;
    const record = records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    // The request is being withdrawn before it got a process, so there is nothing to pause.
    if (held && record.node === null && record.stopping !== null) {
      throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    }
    const before = record.held;
    record.held = held;
    try {
      // Saves even if nothing changed: an equal override may still be on its way to the disk.
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
   * Pauses or resumes automation of a template's services.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND, DISK_FULL
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
   * Pauses or resumes automation of a node.
   *
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL
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
   * Protects a node: the rules never drain or release it.
   *
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL
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
   * @throws OverworldError NODE_NOT_FOUND, NODE_GOING, NODE_NOT_READY, NODE_NOT_RENTED, NODE_LOCKED, DISK_FULL
   */
  async scheduleNode(id: NodeId, to: Schedule, actor: string): Promise<void> {
    const { state, rental, locked, leaving } = this.#node(id);
    if (to === 'release' && rental === null) throw new OverworldError('NODE_NOT_RENTED', { node: id });
    if (to === 'release' && locked) throw new OverworldError('NODE_LOCKED', { node: id });
    // A node that is booting or lost can only be released, or kept after all.
    const isUp = state === 'READY' || state === 'CORDONED' || state === 'DRAINING';
    if (!isUp && to !== 'release' && !(to === 'resume' && leaving)) {
      throw new OverworldError('NODE_NOT_READY', { node: id, state });
    }
    // A person's decision stays a person's, also for a node that the rules drained: the rules no longer resume it.
    const change = { schedule: to === 'resume' ? null : to, byRules: false };
    await this.#change(id, change, { ...scheduled(id, to), actor });
    if (to === 'resume') this.#retryStarts(id, actor);
  }

  /** Clears the node's failed starts, so that waiting services are tried there at once. */
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
    if (!(await overrides.changeNode(id, () => change))) return;
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

function scheduled(id: NodeId, to: Schedule): Pick<NodeEvent, 'kind' | 'message'> {
  switch (to) {
    case 'cordon':
      return { kind: 'node.cordoned', message: `${id} takes no new services` };
    case 'drain':
      return {
        kind: 'node.draining',
        message: `${id} is being drained: it takes no new services, and those on it stop once they are empty`,
      };
    case 'release':
      return {
        kind: 'node.leaving',
        message: `${id} is released once it is empty: it takes no new services, and those on it stop once they are empty`,
      };
    case 'resume':
      return { kind: 'node.resumed', message: `${id} takes services again` };
  }
}

function holdSentence(what: string, held: boolean): string {
  return held ? `Automation of ${what} was paused` : `Automation of ${what} was resumed`;
}

function askedForBy(actor: string): string {
  return `asked for by ${actor}`;
}
