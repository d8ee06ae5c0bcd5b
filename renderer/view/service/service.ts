import type { Service } from '#shared/model/service.ts';
import { hasProcess, isUp } from '#shared/model/service.ts';
import type { Hue } from '../../ui/hue.ts';
import { toCauseWords } from '../cause.ts';
import { toCountOf, toOf } from '../format/numbers.ts';
import { toCountdown, toDuration } from '../format/time.ts';
import { isCalm, toWaitFix, type Fix } from './wait.ts';

/** Displayed states of a service: the five states of the specification, and states that deserve attention. */
export const shownStates = [
  'failing',
  'waiting',
  'unresponsive',
  'held',
  'requested',
  'preparing',
  'starting',
  'running',
  'in-use',
  'draining',
  'stopping',
  'unknown',
] as const;
export type ShownState = (typeof shownStates)[number];

export const stateWords: Record<ShownState, { readonly word: string; readonly hue: Hue }> = {
  failing: { word: 'Failing', hue: 'bad' },
  waiting: { word: 'Waiting', hue: 'warn' },
  unresponsive: { word: 'Not responding', hue: 'bad' },
  held: { word: 'Paused', hue: 'neutral' },
  requested: { word: 'Requested', hue: 'busy' },
  preparing: { word: 'Preparing', hue: 'busy' },
  starting: { word: 'Starting', hue: 'busy' },
  running: { word: 'Empty', hue: 'ok' },
  'in-use': { word: 'Players online', hue: 'ok' },
  draining: { word: 'Draining', hue: 'busy' },
  stopping: { word: 'Stopping', hue: 'neutral' },
  unknown: { word: 'Unknown state', hue: 'neutral' },
};

/**
 * Groups of displayed states, for filters and for the counts on the Overview screen. A state that this app does not
 * know is in no group.
 */
export const stateGroups = [
  { id: 'trouble', word: 'Problems', states: ['failing', 'unresponsive', 'waiting'] },
  { id: 'pending', word: 'Starting', states: ['requested', 'preparing', 'starting'] },
  { id: 'running', word: 'Empty', states: ['running'] },
  { id: 'in-use', word: 'Players online', states: ['in-use'] },
  { id: 'held', word: 'Paused', states: ['held'] },
  { id: 'stopping', word: 'Stopping', states: ['draining', 'stopping'] },
] as const satisfies readonly { id: string; word: string; states: readonly ShownState[] }[];
export type StateGroup = (typeof stateGroups)[number];
export type StateGroupId = StateGroup['id'];

const groupOfState = Object.fromEntries(
  stateGroups.flatMap(({ id, states }) => states.map((state) => [state, id])),
) as Partial<Record<ShownState, StateGroupId>>;

const byState: Record<Service['state'], ShownState> = {
  REQUESTED: 'requested',
  PREPARING: 'preparing',
  STARTING: 'starting',
  RUNNING: 'running',
  IN_USE: 'in-use',
  UNKNOWN: 'unknown',
};

/** Meaning of each state of the specification (docs/specification.md#service-states). */
const stateMeaning: Record<Service['state'], string> = {
  REQUESTED: 'it is requested and has not been started yet.',
  PREPARING: 'its files are being copied to its node.',
  STARTING: 'its process is starting and does not accept players yet.',
  RUNNING: 'players can join, and it is empty.',
  IN_USE: 'it has players, or a plugin keeps it in use.',
  UNKNOWN: 'the master is newer than this app, which does not know the state.',
};

/** Returns the specification's state in words: `In use`. */
export function toSpecifiedState({ state }: Pick<Service, 'state'>): string {
  return (state.charAt(0) + state.slice(1).toLowerCase()).replace('_', ' ');
}

/**
 * Returns the specification's state with its meaning: `State IN_USE: it has players, or a plugin keeps it in use.`
 */
export function toStateTitle({ state }: Pick<Service, 'state'>): string {
  return `State ${state}: ${stateMeaning[state]}`;
}

/** Facts that determine the displayed state of a service. */
export type StateFacts = Pick<
  Service,
  'state' | 'stopping' | 'draining' | 'waiting' | 'failure' | 'unresponsive'
>;

/** Returns the most important displayed state that applies to a service. */
export function toShownState(service: StateFacts): ShownState {
  if (service.stopping !== null) return 'stopping';
  // Paused comes first, because a person paused the service on purpose. Other states are shown after the pause.
  if (service.state === 'REQUESTED' && service.waiting?.reason === 'HELD') return 'held';
  // The master clears the failure only after the service has been up for a minute. Until then, the service is shown
  // as failing, even during the next attempt.
  if (service.failure !== null) return 'failing';
  if (service.state === 'REQUESTED') {
    if (service.waiting !== null && !isCalm(service.waiting)) return 'waiting';
  }
  if (service.unresponsive) return 'unresponsive';
  if (service.draining !== null) return 'draining';
  return byState[service.state];
}

/**
 * Returns whether a service has a problem about which a person should know: the service does not start or does not
 * answer.
 */
export function needsAttention(service: StateFacts): boolean {
  const shown = toShownState(service);
  return shown === 'failing' || shown === 'waiting' || shown === 'unresponsive';
}

/**
 * Returns whether the filter of a group shows a service. The group "Paused" contains all paused services. A paused
 * service that still runs is therefore in two groups: in "Paused" and in the group of its state.
 */
export function isInGroup(service: StateFacts & Pick<Service, 'held'>, group: StateGroupId): boolean {
  return groupOfState[toShownState(service)] === group || (group === 'held' && isPaused(service));
}

/**
 * Counts the services of each group. A group has the hue of its worst service. A group without services is neutral.
 */
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

/** Returns the number of problems in words: `1 problem`, `4 problems`. */
export function toTroubleWords(count: number): string {
  return toCountOf(count, 'problem');
}

/**
 * Returns whether the automation of a service is paused. Also true if the automation of its template is paused and
 * therefore the service cannot start.
 */
export function isPaused(service: StateFacts & Pick<Service, 'held'>): boolean {
  return service.held || toShownState(service) === 'held';
}

/**
 * Returns the reason for a service's state in one sentence. A failure takes precedence over the wait that follows it.
 */
export function toWhy(service: StateFacts & Pick<Service, 'cause'>): string {
  if (service.stopping !== null) return toCauseWords(service.stopping.cause).text;
  if (toShownState(service) === 'failing' && service.failure !== null) return service.failure.error.message;
  if (service.waiting !== null) return service.waiting.message;
  if (service.unresponsive) return 'Its process runs but does not answer status pings. Check its console.';
  return toCauseWords(service.cause).text;
}

/**
 * Returns the changes that take effect at a service's next start: `files, maxJvmMemory`. Null if there are none.
 */
export function toOutdated(service: Pick<Service, 'outdated'>): string | null {
  return service.outdated.length === 0 ? null : service.outdated.join(', ');
}

/** Returns the time until a waiting service is tried again: `next try in 12 s`. Null if no time is known. */
export function toNextTry(service: Pick<Service, 'waiting'>, nowMs: number): string | null {
  const until = service.waiting?.until ?? null;
  return until === null ? null : `next try ${toCountdown(until, nowMs)}`;
}

/**
 * Returns the address of a service: `127.0.0.1:25565`. Puts an IPv6 host in brackets. Null if the service has no
 * address yet.
 */
export function toAddress(service: Pick<Service, 'address'>): string | null {
  if (service.address === null) return null;
  const { host, port } = service.address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns how long the service has been in its current state: `1 m 35 s`. */
export function toSince(service: Pick<Service, 'since'>, nowMs: number): string {
  return toDuration(nowMs - service.since);
}

/** Returns the number of players on a service and the maximum: `3 / 20`. Null if the service is not up. */
export function toPlayers(service: Pick<Service, 'state' | 'players'>): string | null {
  return isUp(service) ? toOf(service.players.online, service.players.max) : null;
}

/** Returns the place where a person can fix a service's problem. Null if a person can only wait. */
export function toFix(service: Service): Fix | null {
  const { id, template, waiting, failure, held } = service;
  if (failure?.error.code === 'EULA_NOT_ACCEPTED') return { kind: 'files', template };
  if (failure !== null || service.unresponsive) return { kind: 'log' };
  return waiting === null ? null : toWaitFix(waiting, { template, pausedService: held ? id : null });
}

/** Returns why the console of a service accepts no commands now. Undefined if it accepts commands. */
export function commandRefusal(service: Pick<Service, 'state' | 'stopping'>): string | undefined {
  return hasProcess(service) ? undefined : 'Accepts commands once its process runs';
}

/** Counts the services in each displayed state. States without services have the number 0. */
export function countByState(services: readonly StateFacts[]): Record<ShownState, number> {
  const counts = Object.fromEntries(shownStates.map((state) => [state, 0])) as Record<ShownState, number>;
  for (const service of services) counts[toShownState(service)] += 1;
  return counts;
}

/** Cached filter texts. An unchanged service stays the same object, so the cache saves building up to 5,000 texts. */
const texts = new WeakMap<Service, string>();

function toText(service: Service): string {
  const known = texts.get(service);
  if (known !== undefined) return known;
  const { id, node, revision, outdated, retiring, plugin } = service;
  const text = [
    id,
    node ?? '',
    toAddress(service) ?? '',
    stateWords[toShownState(service)].word,
    toSpecifiedState(service),
    toWhy(service),
    revision ?? '',
    ...(outdated.length === 0 ? [] : ['outdated', ...outdated]),
    retiring === null ? '' : 'being replaced',
    plugin === null ? '' : `plugin ${plugin.state}`,
  ]
    .join(' ')
    .toLowerCase();
  texts.set(service, text);
  return text;
}

/**
 * Returns whether the texts about a service contain all words: name, template, node, address, state, reason and
 * marks. The words must be in lower case.
 */
export function serviceMatches(service: Service, words: readonly string[]): boolean {
  return words.every((word) => toText(service).includes(word));
}
