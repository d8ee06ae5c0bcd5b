import { hasProcess, isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { playersAfterStopWords, playersAfterStop, type Network } from './players-after-stop.ts';

/** Facts that determine how a service stops. */
type Stoppable = Pick<Service, 'id' | 'template' | 'state' | 'node' | 'players' | 'stopping' | 'held'>;

/**
 * Returns why a service cannot be stopped now. Undefined if it can. A service that is already stopping can only be
 * killed.
 */
export function stopRefusal(service: Pick<Service, 'stopping'>, kill: boolean): string | undefined {
  return service.stopping !== null && !kill ? 'Is stopping already' : undefined;
}

/**
 * Returns whether a service is paused and has neither a process nor files on a node. Stopping such a service only
 * removes it from the list.
 */
function isListedOnly({ held, state, node }: Pick<Service, 'state' | 'held' | 'node'>): boolean {
  return held && state === 'REQUESTED' && node === null;
}

/** Returns the verb for stopping services. It is `Remove` if all of them are paused and have no process. */
export function stopVerb(services: readonly Stoppable[], kill: boolean): 'Stop' | 'Kill' | 'Remove' {
  if (services.length > 0 && services.every(isListedOnly)) return 'Remove';
  return kill ? 'Kill' : 'Stop';
}

/**
 * Returns why a service cannot be restarted now. Undefined if it can. A service without a process cannot be
 * restarted, because it starts from the newest files anyway.
 */
export function restartRefusal(service: Pick<Service, 'stopping' | 'state'>): string | undefined {
  if (service.stopping !== null) return 'Is stopping already';
  return hasProcess(service) ? undefined : 'Has no process yet';
}

/** Describes the effect of restarting services. */
export function restartConsequence(
  services: readonly Stoppable[],
  { kill, network }: { readonly kill: boolean; readonly network: Network },
): string {
  const which = services.length === 1 ? 'It starts' : 'Each starts';
  return [
    playersSentence(services, network),
    kill ? 'The processes are killed immediately.' : null,
    `${which} again with the same id, from the latest files and settings of the template. Until then, players cannot join ${services.length === 1 ? 'it' : 'them'}.`,
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

/**
 * Describes the effect of stopping services: on their players, which services stay paused, and how many new services
 * start because of the minimum.
 *
 * @param template the template of all services; undefined if the services have several templates
 * @param network all services and templates
 */
export function stopConsequence(
  services: readonly Stoppable[],
  {
    kill,
    template,
    network,
  }: {
    readonly kill: boolean;
    readonly template: Template | undefined;
    readonly network: Network;
  },
): string {
  return [
    playersSentence(services, network),
    processSentence(services, kill),
    pausedSentence(services),
    removedSentence(services),
    template === undefined ? null : minimumSentence(services, { template, all: network.services }),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

function playersSentence(services: readonly Stoppable[], network: Network): string | null {
  if (!services.some(isUp)) return null;
  const after = playersAfterStop(services, network);
  if (after.players === 0) return `No players are on ${services.length === 1 ? 'it' : 'them'} now.`;
  return playersAfterStopWords(after);
}

/** Number of services from which a person must type the number of services to confirm a kill or a stop. */
const TYPED_FROM = { kill: 20, stop: 100 };

/** Returns the text that a person must type to stop or kill `count` services. Undefined if a click is enough. */
export function typedCount(count: number, kill: boolean): string | undefined {
  return count >= (kill ? TYPED_FROM.kill : TYPED_FROM.stop) ? String(count) : undefined;
}

/**
 * Returns whether draining is an alternative to stopping the services: at least one service that is not stopping has
 * players.
 */
export function canDrain(services: readonly Pick<Service, 'stopping' | 'players' | 'draining'>[]): boolean {
  return services.some(({ stopping, players }) => stopping === null && players.online > 0);
}

/** Returns the label of the input for the time limit of a drain of `count` services. */
export function drainDeadlineLabel(count: number, proxiesOnly: boolean): string {
  const [are, they] = count === 1 ? ['it is', 'it stops'] : ['they are', 'they stop'];
  return proxiesOnly ? `If ${are} drained, ${they}` : `If players are moved first, ${they}`;
}

function processSentence(services: readonly Stoppable[], kill: boolean): string | null {
  if (!services.some(hasProcess))
    return services.every(isListedOnly)
      ? null
      : `${services.length === 1 ? 'It is' : 'They are'} cancelled before starting.`;
  if (services.length > 1)
    return kill
      ? 'The processes are killed immediately.'
      : 'Each is asked to stop. One that takes too long is killed.';
  return kill
    ? 'The process is killed immediately.'
    : 'It is asked to stop. If that takes too long, it is killed.';
}

function pausedSentence(services: readonly Stoppable[]): string | null {
  const staying = services.filter((service) => service.held && !isListedOnly(service)).length;
  if (staying === 0) return null;
  if (staying > 1) {
    const whose = staying === services.length ? 'Their automation' : `Automation of ${staying} of them`;
    return `${whose} is paused, so they stay in the list, still count, and do not start again until it is resumed.`;
  }
  const whose = services.length === 1 ? 'Its automation' : 'Automation of one of them';
  return `${whose} is paused, so it stays in the list, still counts, and does not start again until that is resumed.`;
}

function removedSentence(services: readonly Stoppable[]): string | null {
  const removed = services.filter(isListedOnly).length;
  if (removed === 0) return null;
  if (services.length === 1) return 'It does not run. It is removed from the list and no longer counts.';
  const who = removed === services.length ? 'They do' : `${removed} of them ${removed === 1 ? 'does' : 'do'}`;
  return `${who} not run: ${removed === 1 ? 'it is' : 'they are'} removed from the list and no longer ${removed === 1 ? 'counts' : 'count'}.`;
}

/**
 * Describes how many new services start after a stop because of the minimum. Null if none start. For a paused
 * template, none ever start. Services that are starting count towards the minimum, and services in use do not
 * (docs/specification.md#minimumrunningservers). Paused services count even if they do not run.
 */
function minimumSentence(
  services: readonly Stoppable[],
  { template, all }: { template: Template; all: readonly Stoppable[] },
): string | null {
  const ids = new Set(services.map(({ id }) => id));
  const counts = (one: Stoppable): boolean =>
    ids.has(one.id)
      ? one.held && !isListedOnly(one)
      : one.state !== 'IN_USE' && (one.held || one.stopping === null);
  const left = all.filter((one) => one.template === template.id && counts(one)).length;
  const missing = template.config.minimumRunningServers - left;
  if (missing <= 0 || template.held) return null;
  return `The minimum of the template is ${template.config.minimumRunningServers}, so ${missing === 1 ? 'a new one' : `${missing} new ones`} will start.`;
}
