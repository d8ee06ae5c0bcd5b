import type { Service, ServiceState } from '#shared/model/service.ts';
import type { WaitReason } from '#shared/model/wait.ts';
import { hasProcess, isUp } from '#shared/model/service.ts';
import type { Hue } from '../ui/hue.ts';
import { toCount, toOf } from './numbers.ts';
import { toCountdown, toDuration } from './time.ts';

/** What a person sees of a service's state: the five of the model, and what makes them notable. */
export const shownStates = [
  'failing',
  'waiting',
  'unresponsive',
  'requested',
  'preparing',
  'starting',
  'running',
  'in-use',
  'stopping',
] as const;
export type ShownState = (typeof shownStates)[number];

export const stateWords: Record<ShownState, { readonly word: string; readonly hue: Hue }> = {
  failing: { word: 'Failing', hue: 'bad' },
  waiting: { word: 'Waiting', hue: 'warn' },
  unresponsive: { word: 'Not responding', hue: 'bad' },
  requested: { word: 'Requested', hue: 'busy' },
  preparing: { word: 'Preparing', hue: 'busy' },
  starting: { word: 'Starting', hue: 'busy' },
  running: { word: 'Running', hue: 'ok' },
  'in-use': { word: 'In use', hue: 'ok' },
  stopping: { word: 'Stopping', hue: 'neutral' },
};

/** States that mean the same to somebody who looks for a moment: what filters and the Overview count. */
export const stateGroups = [
  { id: 'trouble', word: 'Needs a hand', states: ['failing', 'unresponsive', 'waiting'] },
  { id: 'pending', word: 'On the way', states: ['requested', 'preparing', 'starting'] },
  { id: 'running', word: 'Running', states: ['running'] },
  { id: 'in-use', word: 'In use', states: ['in-use'] },
  { id: 'stopping', word: 'Stopping', states: ['stopping'] },
] as const satisfies readonly { id: string; word: string; states: readonly ShownState[] }[];
export type StateGroup = (typeof stateGroups)[number];
export type StateGroupId = StateGroup['id'];

const groupOfState = Object.fromEntries(
  stateGroups.flatMap(({ id, states }) => states.map((state) => [state, id])),
) as Record<ShownState, StateGroupId>;

const byState: Record<ServiceState, ShownState> = {
  REQUESTED: 'requested',
  PREPARING: 'preparing',
  STARTING: 'starting',
  RUNNING: 'running',
  IN_USE: 'in-use',
};

type StateFacts = Pick<Service, 'state' | 'stopping' | 'waiting' | 'failure' | 'unresponsive'>;

/** The most telling of all that is true of a service. */
export function toShownState(service: StateFacts): ShownState {
  if (service.stopping !== null) return 'stopping';
  if (service.state === 'REQUESTED' && service.failure !== null) return 'failing';
  if (service.state === 'REQUESTED' && service.waiting !== null) return 'waiting';
  if (service.unresponsive) return 'unresponsive';
  return byState[service.state];
}

/** Somebody has to do something, or at least know: it does not start, or does not answer. */
export function needsHand(service: StateFacts): boolean {
  const shown = toShownState(service);
  return shown === 'failing' || shown === 'waiting' || shown === 'unresponsive';
}

/** Which of the {@link stateGroups} it counts to. */
export function toStateGroup(service: StateFacts): StateGroupId {
  return groupOfState[toShownState(service)];
}

/** Services of each group, and the hue that says how the worst of them is; neutral where there is none. */
export function countByGroup(
  counts: Record<ShownState, number>,
): Record<StateGroupId, { readonly count: number; readonly hue: Hue }> {
  return Object.fromEntries(
    stateGroups.map(({ id, states }) => {
      const worst = states.find((state) => counts[state] > 0);
      const count = states.reduce((sum, state) => sum + counts[state], 0);
      return [id, { count, hue: worst === undefined ? 'neutral' : stateWords[worst].hue }];
    }),
  ) as Record<StateGroupId, { count: number; hue: Hue }>;
}

/** `1 needs a hand`, `4 need a hand`. */
export function toTroubleWords(count: number): string {
  return `${toCount(count)} ${count === 1 ? 'needs' : 'need'} a hand`;
}

/** One sentence: why it is as it is. A failure says more than the wait that follows it. */
export function toWhy(service: StateFacts & Pick<Service, 'cause'>): string {
  if (service.stopping !== null) return service.stopping.cause;
  if (service.state === 'REQUESTED' && service.failure !== null) return service.failure.error.message;
  if (service.waiting !== null) return service.waiting.message;
  if (service.unresponsive) return 'Its process lives but answers no status ping. Look at its console.';
  return service.cause;
}

/** When a waiting service is tried again: `next try in 12 s`; null when that depends on somebody. */
export function toNextTry(service: Pick<Service, 'waiting'>, nowMs: number): string | null {
  const until = service.waiting?.until ?? null;
  return until === null ? null : `next try ${toCountdown(until, nowMs)}`;
}

/** `127.0.0.1:25565`, or null while it has no port. An IPv6 host stands in brackets. */
export function toAddress(service: Pick<Service, 'address'>): string | null {
  if (service.address === null) return null;
  const { host, port } = service.address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** For how long it is in its state. */
export function toSince(service: Pick<Service, 'since'>, nowMs: number): string {
  return toDuration(nowMs - service.since);
}

/** Players of a service that can have some: `3 / 20`; null before it is up. */
export function toPlayers(service: Pick<Service, 'state' | 'players'>): string | null {
  return isUp(service) ? toOf(service.players.online, service.players.max) : null;
}

/** Where the reason of a waiting or failing service can be removed. */
export type Fix =
  | { readonly kind: 'files'; readonly template: string }
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'log' };

/** What helps against each reason to wait; null: it passes, or is mended outside the app. */
const fixOf: Record<WaitReason, Fix['kind'] | null> = {
  SERVER_JAR_MISSING: 'files',
  TEMPLATE_UNREADABLE: 'files',
  FILES_CHANGING: 'files',
  RAM_FULL: 'template',
  BACKING_OFF: 'log',
  NO_NODE: null,
  CONFIGURE_MODE: null,
  JAVA_MISSING: null,
  START_BUDGET: null,
};

/** The place that helps a service that needs a hand; null when there is nothing to do but wait. */
export function toFix(service: Service): Fix | null {
  const { template, waiting, failure } = service;
  if (failure?.error.code === 'EULA_NOT_ACCEPTED') return { kind: 'files', template };
  if (failure !== null || service.unresponsive) return { kind: 'log' };
  const kind = waiting === null ? null : fixOf[waiting.reason];
  if (kind === null) return null;
  return kind === 'log' ? { kind } : { kind, template };
}

/** Why it cannot be stopped now; undefined when it can. Killing one that is stopping is allowed. */
export function stopRefusal(service: Pick<Service, 'stopping'>, kill: boolean): string | undefined {
  return service.stopping !== null && !kill ? 'Is stopping already' : undefined;
}

/** Why its console takes no line now; undefined when it does. */
export function commandRefusal(service: Pick<Service, 'state' | 'stopping'>): string | undefined {
  return hasProcess(service) ? undefined : 'Takes commands once its process runs';
}

/** How many services are in each shown state; all states are keys. */
export function countByState(services: readonly StateFacts[]): Record<ShownState, number> {
  const counts = Object.fromEntries(shownStates.map((state) => [state, 0])) as Record<ShownState, number>;
  for (const service of services) counts[toShownState(service)] += 1;
  return counts;
}

/**
 * What stopping services will do, in sentences: players sent away, and what the minimum brings back.
 *
 * @param minimum of their template, when all are of one; null when of several
 */
export function stopConsequence(
  services: readonly Pick<Service, 'players' | 'state' | 'stopping'>[],
  { kill, minimum, runningAfter }: { kill: boolean; minimum: number | null; runningAfter: number },
): string {
  const players = services.reduce((sum, { players: { online } }) => sum + online, 0);
  const who =
    players === 0
      ? 'Nobody is playing on it now.'
      : `${players} ${players === 1 ? 'player is' : 'players are'} sent away.`;
  const many = players === 0 && services.length > 1 ? 'Nobody is playing on them now.' : who;
  const how = kill
    ? 'The process is ended at once; what it has not saved is lost.'
    : 'The server is asked to save and end, and ended after its time is up.';
  const back =
    minimum === null || runningAfter >= minimum
      ? ''
      : ` The minimum of the template is ${minimum}, so ${minimum - runningAfter === 1 ? 'a new one' : `${minimum - runningAfter} new ones`} will start.`;
  return `${many} ${how}${back}`;
}

/** True when a service has all words in its name, template, node, address, state or reason. `words` in lower case. */
export function serviceMatches(service: Service, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const state = stateWords[toShownState(service)].word;
  const text =
    `${service.id} ${service.node ?? ''} ${toAddress(service) ?? ''} ${state} ${toWhy(service)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
