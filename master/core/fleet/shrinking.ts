import type { Keep } from '#shared/model/node.ts';
import type { ActionOf } from '../action.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { isReleasable, type NodeId, type NodeSnapshot } from '../snapshot/snapshot.ts';
import type { Movability } from './movability.ts';
import { isDrainTime, isReleaseTime, paidUntil, RELEASE } from './release-window.ts';
import { mayRelease, requesterOf } from './spending.ts';
import type { SpareCapacity } from './spare-capacity.ts';

export interface ScaleDown {
  readonly actions: readonly ActionOf<'drain' | 'release'>[];
  /** Reasons why cloud nodes are not released, by node. */
  readonly kept: ReadonlyMap<NodeId, Keep>;
}

export interface ShrinkContext {
  readonly index: SnapshotIndex;
  readonly spare: SpareCapacity;
  readonly movability: Movability;
  /** Nodes that this round starts to use: resumed nodes, and nodes on which services start. */
  readonly chosen: ReadonlySet<NodeId>;
  /** Whether the fleet grows. If true, only lost nodes and nodes that a person drained are released. */
  readonly isGrowing: boolean;
}

/**
 * Decides which cloud nodes to drain and release. Lost nodes are released immediately, empty nodes shortly before the
 * end of a paid hour. A node is drained if the load stays well below the threshold without it. In configure mode, the
 * rules drain and release no node (docs/specification.md#provider).
 */
export function planShrinking(context: ShrinkContext): ScaleDown {
  const actions: ActionOf<'drain' | 'release'>[] = [];
  const kept = new Map<NodeId, Keep>();
  for (const node of inReleaseOrder(context.index)) {
    if (node.state === 'DELETING') continue;
    const { configureMode } = context.index.snapshot;
    const isAllowed = mayRelease(requesterOf(node), configureMode);
    const verdict = keepUnsaved(node, isAllowed ? judge(node, context) : judgeFrozen(node, context), context);
    if (verdict.action !== null) actions.push(verdict.action);
    if (verdict.keep !== null) kept.set(node.id, verdict.keep);
  }
  return { actions, kept };
}

type CloudNode = NodeSnapshot & { readonly rental: NonNullable<NodeSnapshot['rental']> };

/**
 * Sorts cloud nodes in the sequence of their release: the least used first, then the node whose paid hour ends first,
 * then by id.
 */
function inReleaseOrder(index: SnapshotIndex): CloudNode[] {
  const { nodes, now } = index.snapshot;
  return nodes
    .filter((node): node is CloudNode => node.rental !== null)
    .map((node) => ({ node, on: index.onNode(node.id), until: paidUntil(node.rental, now) }))
    .sort(
      (a, b) =>
        a.on.inUse - b.on.inUse ||
        a.on.players - b.on.players ||
        a.on.allocatedMb - b.on.allocatedMb ||
        a.until - b.until ||
        (a.node.id < b.node.id ? -1 : 1),
    )
    .map(({ node }) => node);
}

interface Verdict {
  readonly action: ActionOf<'drain' | 'release'> | null;
  /** Reason why the node is not released now, also while it is being drained. Null if it is released now. */
  readonly keep: Keep | null;
}

function judge(node: CloudNode, context: ShrinkContext): Verdict {
  const bound = boundByPeople(node);
  if (bound !== null) return bound;
  if (node.state === 'LOST') {
    return release(
      node,
      node.leaving
        ? 'it is lost, and its release was requested'
        : 'it is lost; its services start on other nodes',
    );
  }
  if (node.leaving) return judgeLeaving(node, context.index);
  if (context.chosen.has(node.id)) return keep('NEEDED', 'It will be used soon.');
  if (node.state === 'DRAINING') return judgeDraining(node, context);
  if (node.state === 'READY') return judgeReady(node, context);
  return keep('NEEDED', 'It is starting.');
}

/**
 * Replaces the release of a node by a reason to keep it, if the node has data of services that is not saved. Returns
 * other verdicts unchanged.
 */
function keepUnsaved(node: CloudNode, verdict: Verdict, { index }: ShrinkContext): Verdict {
  const attached = index.unsavedOn(node.id).map(({ service }) => service);
  const unsaved = [...new Set([...attached, ...node.unsaved])];
  if (verdict.action?.kind !== 'release' || unsaved.length === 0) return verdict;
  const names = unsaved.sort().slice(0, 3).join(', ');
  const more = unsaved.length > 3 ? ` and ${unsaved.length - 3} more` : '';
  const what = `It has data of ${names}${more} that is not saved.`;
  return keep('UNSAVED', `${what} ${adviceFor(node, attached.length)}`);
}

/**
 * Returns the sentence that tells when a node with unsaved data is released, and what a person can do. An admin can
 * accept the loss of data only for volumes that are attached to the node (docs/worlds.md#when-a-node-is-lost).
 *
 * @param attached number of volumes that are attached to the node
 */
function adviceFor({ leaving, unsaved }: CloudNode, attached: number): string {
  if (attached > 0 && unsaved.length > 0)
    return 'It is released once all data is saved. Activity says what prevents that.';
  if (attached > 0) return 'It is released once the data is saved, or an admin accepts its loss.';
  const separate =
    'It is released once the data is stored as a separate save. Activity says what prevents that.';
  // Data that the master refuses to store does not keep a node that a person releases.
  return leaving
    ? separate
    : `${separate} Copy the data from the node, or release the node if you do not need it.`;
}

/**
 * Decides about a node in configure mode, in which only a person drains or releases nodes. Reasons to keep the node
 * that also apply outside configure mode are returned unchanged.
 */
function judgeFrozen(node: CloudNode, context: ShrinkContext): Verdict {
  const verdict = judge(node, context);
  if (verdict.action === null && verdict.keep?.reason !== 'PAID_FOR') return verdict;
  const why = node.state === 'LOST' ? 'It is lost' : 'It is not needed';
  const message = `${why}, but stays while configure mode is on. Release it, or switch configure_mode off.`;
  return keep('CONFIGURE_MODE', message);
}

function boundByPeople(node: CloudNode): Verdict | null {
  if (node.locked) return keep('LOCKED', 'It is protected from release.');
  if (!isReleasable(node)) return keep('HELD', 'Its automation is paused, so no rule releases it.');
  if (node.state === 'CORDONED')
    return keep('CORDONED', 'New services were stopped on it by hand, so no rule releases it.');
  return null;
}

/** Decides about a node whose release a person has requested: it is released as soon as it has no services. */
function judgeLeaving(node: CloudNode, index: SnapshotIndex): Verdict {
  if (index.onNode(node.id).services.length > 0) return occupied(node, index);
  return release(node, 'it is empty, and its release was requested');
}

function judgeDraining(node: CloudNode, { index, spare, isGrowing }: ShrinkContext): Verdict {
  if (index.onNode(node.id).services.length > 0) return occupied(node, index);
  // A service that is requested in this round may be placed on the node in the next round.
  if (node.drainedByRules && (isGrowing || !spare.suffices(node)))
    return keep('NEEDED', 'It will be needed again soon.');
  return releaseWhenPaid(node, index);
}

function judgeReady(node: CloudNode, context: ShrinkContext): Verdict {
  const { index, spare, isGrowing } = context;
  if (isGrowing || spare.mayHelp(node)) return keep('NEEDED', 'More RAM is needed than available.');
  if (!spare.isSpare(node)) {
    const { allocatedMb, totalMb } = spare.loadWithout(node);
    if (totalMb === 0) return keep('NEEDED', `It is the only node, and ${allocatedMb} MB are needed.`);
    const limit = `upscaling_at_percent_capacity is ${index.snapshot.upscalingAtPercent} %`;
    return keep('NEEDED', `Without it ${allocatedMb} MB are needed of ${totalMb} MB (${limit}).`);
  }
  const { services } = index.onNode(node.id);
  if (services.length === 0) {
    const mayGo = isReleaseTime(node.rental, index.snapshot.now) && !hasUnsaved(node, index);
    if (mayGo && !spare.give(node)) return NO_ROOM;
    return releaseWhenPaid(node, index);
  }
  if (!isDrainTime(node.rental, index.snapshot.now)) {
    return keep(
      'PAID_FOR',
      'It is not needed, but its hour has just been paid. It is drained in a few minutes.',
    );
  }
  const [stuck] = services.flatMap((service) => context.movability.whyNot(service) ?? []).sort();
  if (stuck !== undefined) return keep('OCCUPIED', stuck);
  const others = giveEmptyNodes(node, context);
  if (spare.give(node)) return drain(node, context);
  return others ? EMPTY_FIRST : NO_ROOM;
}

/**
 * Removes those empty nodes from the remaining nodes that are to be released instead of this node: they cost at least
 * as much per hour, and their paid hours end earlier than its own, or a little later ({@link RELEASE.emptyFirstMs}).
 * Otherwise, the services of this node would move to a node that is empty, only to save some minutes.
 *
 * @returns whether there are such nodes
 */
function giveEmptyNodes(node: CloudNode, { index, spare, chosen }: ShrinkContext): boolean {
  const { now } = index.snapshot;
  const latest = paidUntil(node.rental, now) + RELEASE.emptyFirstMs;
  const isFirst = (one: CloudNode): boolean =>
    paidUntil(one.rental, now) <= latest && one.rental.hourlyPrice >= node.rental.hourlyPrice;
  let any = false;
  for (const one of inReleaseOrder(index)) {
    if (one.state !== 'READY' || one.leaving || chosen.has(one.id) || boundByPeople(one) !== null) continue;
    if (index.onNode(one.id).services.length > 0 || hasUnsaved(one, index) || !isFirst(one)) continue;
    if (spare.give(one)) any = true;
  }
  return any;
}

/** Reports whether a node has data of services that is not saved, so that no rule releases it ({@link keepUnsaved}). */
function hasUnsaved({ id, unsaved }: CloudNode, index: SnapshotIndex): boolean {
  return unsaved.length > 0 || index.unsavedOn(id).length > 0;
}

const EMPTY_FIRST = keep(
  'NEEDED',
  'Empty nodes are released first. Without them, its services would not fit on the other nodes.',
);
const NO_ROOM = keep('NEEDED', 'Its services would not fit on the other nodes.');

function drain(node: CloudNode, { index, spare }: ShrinkContext): Verdict {
  const { allocatedMb, totalMb } = spare.load;
  const cause = `the other nodes are enough: ${allocatedMb} MB are needed of ${totalMb} MB`;
  const count = index.onNode(node.id).services.length;
  const message = beingEmptied(count);
  return { action: { kind: 'drain', node: node.id, cause }, keep: { reason: 'OCCUPIED', message } };
}

/** Explains that a draining node still has services. If one of them cannot be saved, the drain waits for a person. */
function occupied({ id }: CloudNode, index: SnapshotIndex): Verdict {
  const { services } = index.onNode(id);
  for (const service of services) {
    const why = index.unsavable(service);
    if (why !== null) {
      const message = `It is being drained, and waits for ${service.id}, which cannot be saved now. ${why}`;
      return keep('UNSAVED', message);
    }
  }
  return keep('OCCUPIED', beingEmptied(services.length));
}

function beingEmptied(count: number): string {
  return `It is being drained; ${count === 1 ? 'one service is' : `${count} services are`} still on it.`;
}

function releaseWhenPaid(node: CloudNode, { snapshot }: SnapshotIndex): Verdict {
  if (isReleaseTime(node.rental, snapshot.now)) {
    return release(node, 'it is empty, not needed, and its paid hour ends');
  }
  const minutes = Math.ceil((paidUntil(node.rental, snapshot.now) - snapshot.now) / 60_000);
  return keep('PAID_FOR', `It is empty and paid for ${minutes} min more. It is released then.`);
}

function release({ id }: CloudNode, cause: string): Verdict {
  return { action: { kind: 'release', node: id, cause }, keep: null };
}

function keep(reason: Keep['reason'], message: string): Verdict {
  return { action: null, keep: { reason, message } };
}
