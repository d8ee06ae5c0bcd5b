import { nodeStates, type Node, type Rental } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import { deletedDataWords } from '#shared/text/deleted-data.ts';
import type { Hue } from '../ui/hue.ts';
import { toMoney } from './format/money.ts';
import { toCount, toCountOf } from './format/numbers.ts';
import { countPlayers } from './player.ts';
import { toCountdown, toDuration } from './format/time.ts';

/** Word and hue of each node state, for a pill. */
export const nodeStateWords: Record<Node['state'], { readonly word: string; readonly hue: Hue }> = {
  ORDERED: { word: 'Ordered', hue: 'busy' },
  BOOTING: { word: 'Booting', hue: 'busy' },
  READY: { word: 'Ready', hue: 'ok' },
  CORDONED: { word: 'No new services', hue: 'warn' },
  DRAINING: { word: 'Draining', hue: 'busy' },
  DELETING: { word: 'Being released', hue: 'neutral' },
  LOST: { word: 'Lost', hue: 'bad' },
  UNKNOWN: { word: 'Unknown state', hue: 'neutral' },
};

/** Effect of each node state on services, in words. Null if the word of the state is enough. */
export const nodeStateMeaning: Record<Node['state'], string | null> = {
  ORDERED: 'Its server is ordered from the provider. It has no services yet.',
  BOOTING: 'It is being set up. It has no services yet.',
  READY: null,
  CORDONED: 'State CORDONED: it accepts no new services. Those on it stay.',
  DRAINING:
    'It accepts no new services. Those on it are replaced on other nodes and stop once they are empty.',
  DELETING: 'State DELETING: it is empty, and its server is being deleted at the provider.',
  LOST: 'The master cannot reach it.',
  UNKNOWN: 'The master is newer than this app, which does not know the state.',
};

type Move = 'cordon' | 'drain' | 'resume';

/** Returns why a node cannot be cordoned, drained or resumed now. Undefined if it can be. */
export function moveRefusal(
  { state, backoff }: Pick<Node, 'state' | 'backoff'>,
  to: Move,
): string | undefined {
  switch (state) {
    case 'ORDERED':
    case 'BOOTING':
      return 'Is not ready yet';
    case 'DELETING':
      return 'Is being released';
    case 'LOST':
      return 'Cannot be reached';
    case 'UNKNOWN':
      return 'Is in a state that this app does not know';
    case 'READY':
      return to === 'resume' && backoff === null ? 'Accepts services already' : undefined;
    case 'CORDONED':
      return to === 'cordon' ? 'Accepts no new services already' : undefined;
    case 'DRAINING':
      return to === 'drain' ? 'Is draining already' : undefined;
  }
}

/**
 * Returns type, price and paid time of a cloud node: `cpx32 · €0.031 / h · paid for 42 m more`. Null for other
 * machines.
 */
export function toRentalWords({ rental }: Pick<Node, 'rental'>, nowMs: number): string | null {
  if (rental === null) return null;
  const left = toPaidLeft(rental, nowMs);
  const paid = left === null ? 'paid hour is over' : `paid for ${left} more`;
  return `${rental.type} · ${toMoney(rental.hourlyPrice)} / h · ${paid}`;
}

/** Returns the time for which the node is still paid: `42 m`, in whole minutes. Null if the paid hour is over. */
export function toPaidLeft({ paidUntil }: Pick<Rental, 'paidUntil'>, nowMs: number): string | null {
  const left = Math.max(0, Math.ceil((paidUntil - nowMs) / 60_000)) * 60_000;
  return left === 0 ? null : toDuration(left);
}

/** Returns why a node cannot be released now. Undefined if it can be. */
export function releaseRefusal(
  node: Pick<Node, 'state' | 'rental' | 'locked' | 'leaving'>,
): string | undefined {
  if (node.rental === null) return 'Is your own machine, not a cloud server';
  if (node.state === 'DELETING' || node.leaving) return 'Is being released already';
  return node.locked ? 'Is protected from release: allow its release first' : undefined;
}

/**
 * Share of allocated RAM above which the next service may not fit, from 0 to 1. From this share on, bars of RAM have
 * the warning colour.
 */
export const RAM_TIGHT = 0.9;

/**
 * Returns whether a node has a problem: the master cannot reach it, only configure mode prevents its release, or
 * service starts on it are paused after failed starts.
 */
export function isNodeInTrouble({ state, keep, backoff }: Pick<Node, 'state' | 'keep' | 'backoff'>): boolean {
  return state === 'LOST' || keep?.reason === 'CONFIGURE_MODE' || backoff !== null;
}

/** A node's problem in words, and what a person can do about it. */
export interface NodeTroubleWords {
  readonly hue: 'warn' | 'bad';
  readonly message: string;
  readonly facts: readonly string[];
  readonly fix: 'release' | 'retry' | null;
}

/** Describes a node's problem. Null if there is none. */
export function nodeTroubleWords(node: Node, nowMs: number): NodeTroubleWords | null {
  const { state, keep, backoff, services, rental } = node;
  if (state === 'LOST') {
    const message = `The master cannot reach this node. Its ${toCountOf(services, 'service')} still count towards the maximum of their templates, but not as capacity.`;
    const facts = keep === null ? [] : [keep.message];
    return { hue: 'bad', message, facts, fix: rental === null ? null : 'release' };
  }
  if (backoff !== null) {
    const facts = [`next try ${toCountdown(backoff.until, nowMs)}`];
    return { hue: 'warn', message: backoff.message, facts, fix: 'retry' };
  }
  if (keep?.reason !== 'CONFIGURE_MODE') return null;
  return { hue: 'warn', message: keep.message, facts: [], fix: 'release' };
}

/**
 * Returns the numbers of nodes in each state: `3 ready, 1 booting`. States are in the order in which a node passes
 * through them.
 */
export function nodeCounts(nodes: readonly Pick<Node, 'state'>[]): string {
  const words = ([...nodeStates, 'UNKNOWN'] as const).flatMap((state) => {
    const count = nodes.filter((node) => node.state === state).length;
    return count === 0 ? [] : [`${toCount(count)} ${nodeStateWords[state].word.toLowerCase()}`];
  });
  return words.length === 0 ? 'None yet' : words.join(', ');
}

/** Returns the server type of a cloud node. For other machines, returns the kind of the node. */
export function toNodeType({ kind, rental }: Pick<Node, 'kind' | 'rental'>): string {
  return rental?.type ?? (kind === 'local' ? 'Own machine' : kind);
}

/**
 * Returns whether each word occurs in the name, state, type, location or address of a node.
 *
 * @param words in lower case
 */
export function nodeMatches(node: Node, words: readonly string[]): boolean {
  const { word } = nodeStateWords[node.state];
  const text = `${node.id} ${word} ${toNodeType(node)} ${node.location ?? ''} ${node.address}`.toLowerCase();
  return words.every((one) => text.includes(one));
}

/** A step between the order of a cloud node and its readiness. */
export interface NodeStep {
  readonly label: string;
  readonly at: number | null;
  readonly state: 'done' | 'now' | 'to come';
}

/**
 * Returns the steps of a cloud node from its order to its readiness. Null for machines that are not cloud nodes, and
 * for nodes that are being deleted or are lost.
 *
 * @param events events of the node, newest first
 */
export function toOrderSteps(
  { state, since, rental }: Pick<Node, 'state' | 'since' | 'rental'>,
  events: readonly Pick<ActivityEvent, 'kind' | 'at'>[],
): readonly NodeStep[] | null {
  if (rental === null || state === 'DELETING' || state === 'LOST') return null;
  const timeOf = (kind: ActivityEvent['kind']): number | null =>
    events.find((one) => one.kind === kind)?.at ?? null;
  const reached = state === 'ORDERED' ? 0 : state === 'BOOTING' ? 1 : 2;
  const times = [
    timeOf('node.ordered') ?? rental.since,
    state === 'BOOTING' ? since : null,
    timeOf('node.ready'),
  ];
  return ['Ordered', 'Booting', 'Ready'].map((label, i) => ({
    label,
    at: i <= reached ? (times[i] ?? null) : null,
    state: i < reached || reached === 2 ? 'done' : i === reached ? 'now' : 'to come',
  }));
}

/** All services, and the ids of the templates whose services are proxies or keep data. */
interface OnNodes {
  readonly services: readonly Pick<Service, 'node' | 'state' | 'template' | 'players'>[];
  /** Ids of templates whose services are proxies. */
  readonly proxies: ReadonlySet<string>;
  /** Ids of templates whose services keep data in volumes. */
  readonly persistent: ReadonlySet<string>;
}

/**
 * Describes the effect of releasing a node that the master cannot reach. While the node has unsaved data of volumes,
 * the master keeps the node. It also does not start the services of these volumes on other nodes
 * (docs/worlds.md#when-a-node-is-lost).
 */
function releaseLostWords(here: OnNodes['services'], { persistent: keeping }: OnNodes): string {
  // A service that is being prepared has written nothing on the node yet.
  const started = here.filter(({ state }) => state !== 'PREPARING');
  const count = started.length;
  const persistent = started.filter(({ template }) => keeping.has(template)).length;
  const when =
    persistent === 0
      ? 'now'
      : `once the data of ${toCountOf(persistent, 'service')} is saved, or you accept its loss in the tab Data of the template`;
  const deleted = `The master cannot reach it. Its server is deleted at the provider ${when}, with everything on its disk.`;
  if (count === 0) return deleted;
  const start = count === 1 ? 'Its service starts on another node' : 'Its services start on other nodes';
  const how =
    persistent === 0
      ? `from the files of ${count === 1 ? 'its template' : 'their templates'}`
      : persistent === count
        ? 'but only then'
        : 'those with such data only then';
  return `${deleted} ${start}, ${how}. ${deletedDataWords({ count, persistent, lost: true })}`;
}

/** Describes the effect of releasing a node. */
export function releaseConsequence(
  node: Pick<Node, 'id' | 'rental' | 'state'>,
  world: OnNodes,
  nowMs: number,
): string {
  const left = node.rental === null ? null : toPaidLeft(node.rental, nowMs);
  const paid = left === null ? '' : ` It is paid for ${left} more, which is not refunded.`;
  const here = world.services.filter((service) => service.node === node.id);
  if (node.state === 'LOST') return `${releaseLostWords(here, world)}${paid}`;
  if (here.length === 0)
    return `No service is on it. Its server is deleted at the provider now, with everything on its disk.${paid}`;
  return `${drainConsequence(node, world)} Once it is empty, its server is deleted at the provider, with everything on its disk.${paid}`;
}

/**
 * Describes the effect of draining a node: the number of services on it, and the number of those in use. Services in
 * use stop only when they have no players.
 */
export function drainConsequence(node: Pick<Node, 'id'>, { services, proxies }: OnNodes): string {
  const here = services.filter((service) => service.node === node.id);
  const how =
    'It accepts no new services until you allow them again. Services that are needed are replaced on other nodes.';
  if (here.length === 0) return `No service is on it. ${how}`;
  const used = here.filter(({ state }) => state === 'IN_USE');
  const players = countPlayers(used, proxies);
  const are = (n: number): string => (n === 1 ? 'is' : 'are');
  const count = `${toCountOf(here.length, 'service')} ${are(here.length)} on it`;
  if (used.length === 0) return `${count}, none of them in use: stopped once replaced. ${how}`;
  const who = `${used.length} of them ${are(used.length)} in use by ${toCountOf(players, 'player')}`;
  const finish = used.length === 1 ? 'That one finishes first' : 'Those in use finish first';
  return `${count}; ${who}. ${finish}: no player is disconnected. ${how}`;
}
