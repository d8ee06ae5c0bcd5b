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

/** What a person wants to become of a node. */
export type Schedule = 'cordon' | 'drain' | 'release' | 'resume';

/**
 * What people want left alone or set aside. Each wish is on disk before its promise resolves, and one that cannot be
 * stored is not granted. Wishing the same again is fine and told once.
 */
export class OverrideCommands {
  readonly #parts: Pick<Documents, 'config' | 'overrides'> &
    Pick<NodeAccess, 'provider' | 'nodeBackoff'> &
    Pick<ServiceState, 'records'> &
    Feed;
  readonly #loop: Pick<Loop, 'poke'>;

  constructor(
    parts: Pick<Documents, 'config' | 'overrides'> &
      Pick<NodeAccess, 'provider' | 'nodeBackoff'> &
      Pick<ServiceState, 'records'> &
      Feed,
    loop: Pick<Loop, 'poke'>,
  ) {
    this.#parts = parts;
    this.#loop = loop;
  }

  /** Takes a service out of automation, or puts it back. @throws OverworldError SERVICE_NOT_FOUND, DISK_FULL */
  async holdService(id: ServiceId, held: boolean, actor: string): Promise<void> {
    const { records, events } = this.#parts;
    const record = records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    // Withdrawn before it had a process: nothing is left to hold, and none is promised.
    if (held && record.node === null && record.stopping !== null) {
      throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    }
    const before = record.held;
    record.held = held;
    try {
      // Also when nothing changes: the same wish of a moment ago may still be on its way to the disk.
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

  /** Takes a template's services out of automation, or puts them back. @throws OverworldError TEMPLATE_NOT_FOUND, DISK_FULL */
  async holdTemplate(id: TemplateId, held: boolean, actor: string): Promise<void> {
    const { config, overrides, events, topics } = this.#parts;
    config.template(id);
    if (!(await overrides.holdTemplate(id, held))) return;
    events.add({
      kind: held ? 'template.held' : 'template.put-back',
      subject: { type: 'template', id },
      template: id,
      actor,
      message: holdSentence(`Template ${id}`, held),
      cause: askedForBy(actor),
    });
    topics.publish('templates');
    this.#loop.poke();
  }

  /** Takes a node out of automation, or puts it back. @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL */
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

  /** A locked node is never drained or released by the rules. @throws OverworldError NODE_NOT_FOUND, NODE_GOING, DISK_FULL */
  async lockNode(id: NodeId, locked: boolean, actor: string): Promise<void> {
    this.#node(id);
    await this.#change(
      id,
      { locked },
      {
        kind: locked ? 'node.locked' : 'node.unlocked',
        message: locked ? `${id} was locked: no rule drains it or gives it back` : `${id} was unlocked`,
        actor,
      },
    );
  }

  /** @throws OverworldError NODE_NOT_FOUND, NODE_GOING, NODE_NOT_READY, NODE_NOT_RENTED, NODE_LOCKED, DISK_FULL */
  async scheduleNode(id: NodeId, to: Schedule, actor: string): Promise<void> {
    const { state, rental, locked, leaving } = this.#node(id);
    if (to === 'release' && rental === null) throw new OverworldError('NODE_NOT_RENTED', { node: id });
    if (to === 'release' && locked) throw new OverworldError('NODE_LOCKED', { node: id });
    // One that boots or is lost can only be released, or kept after all.
    const isUp = state === 'READY' || state === 'CORDONED' || state === 'DRAINING';
    if (!isUp && to !== 'release' && !(to === 'resume' && leaving)) {
      throw new OverworldError('NODE_NOT_READY', { node: id, state });
    }
    // What a person says is a person's, also of a node that the rules drained: they do not take it back.
    const change = { schedule: to === 'resume' ? null : to, byRules: false };
    await this.#change(id, change, { ...scheduled(id, to), actor });
    if (to === 'resume') this.#retryStarts(id, actor);
  }

  /** Failed starts are held against the node no longer: what waits for it is tried at once. */
  #retryStarts(id: NodeId, actor: string): void {
    const { nodeBackoff, events, topics } = this.#parts;
    if (!nodeBackoff.forgive(id)) return;
    const message = `Starts that failed on ${id} are tried again at once`;
    emitNodeEvent(events, id, { kind: 'node.resumed', message, cause: askedForBy(actor), actor });
    topics.publish('nodes');
    this.#loop.poke();
  }

  async #change(
    id: NodeId,
    change: Partial<NodeOverrides>,
    happening: Omit<NodeEvent, 'cause'> & { readonly actor: string },
  ): Promise<void> {
    const { overrides, events, topics } = this.#parts;
    if (!(await overrides.changeNode(id, () => change))) return;
    emitNodeEvent(events, id, { ...happening, cause: askedForBy(happening.actor) });
    topics.publish('nodes');
    this.#loop.poke();
  }

  #node(id: NodeId): NodeView {
    const { provider, overrides } = this.#parts;
    const info = provider.nodes().find((node) => node.id === id);
    if (info === undefined) throw new OverworldError('NODE_NOT_FOUND', { node: id });
    if (info.state === 'DELETING') throw new OverworldError('NODE_GOING', { node: id });
    return viewNode(info, overrides.ofNode(id));
  }
}

function scheduled(id: NodeId, to: Schedule): Pick<NodeEvent, 'kind' | 'message'> {
  switch (to) {
    case 'cordon':
      return { kind: 'node.cordoned', message: `${id} was cordoned: it takes no new services` };
    case 'drain':
      return {
        kind: 'node.draining',
        message: `${id} is being drained: it takes no new services, and those on it go once nobody uses them`,
      };
    case 'release':
      return {
        kind: 'node.leaving',
        message: `${id} is given back once it is empty: it takes no new services, and those on it go once nobody uses them`,
      };
    case 'resume':
      return { kind: 'node.resumed', message: `${id} takes services again` };
  }
}

function holdSentence(what: string, held: boolean): string {
  return held ? `${what} was taken out of automation` : `${what} was put back into automation`;
}

function askedForBy(actor: string): string {
  return `asked for by ${actor}`;
}
