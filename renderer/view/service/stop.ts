import { hasProcess, isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { fateWords, playersAfterStop, type Network } from './players-after-stop.ts';

/** What tells how a service ends. */
type Stoppable = Pick<Service, 'id' | 'template' | 'state' | 'players' | 'stopping' | 'held'>;

/** Why it cannot be stopped now; undefined when it can. Killing one that is stopping is allowed. */
export function stopRefusal(service: Pick<Service, 'stopping'>, kill: boolean): string | undefined {
  return service.stopping !== null && !kill ? 'Is stopping already' : undefined;
}

/** Held and without a process: to stop it is to take it off the list. */
function isListedOnly(service: Pick<Service, 'state' | 'held'>): boolean {
  return service.held && service.state === 'REQUESTED';
}

/** The verb for ending these: what is held and does not run is removed. */
export function stopVerb(services: readonly Stoppable[], kill: boolean): 'Stop' | 'Kill' | 'Remove' {
  if (services.length > 0 && services.every(isListedOnly)) return 'Remove';
  return kill ? 'Kill' : 'Stop';
}

/** Why it cannot be restarted now; undefined when it can. One without a process starts from the newest anyway. */
export function restartRefusal(service: Pick<Service, 'stopping' | 'state'>): string | undefined {
  if (service.stopping !== null) return 'Is stopping already';
  return hasProcess(service) ? undefined : 'Has no process yet';
}

/** What restarting services will do, in sentences. */
export function restartConsequence(
  services: readonly Stoppable[],
  { kill, network }: { readonly kill: boolean; readonly network: Network },
): string {
  const which = services.length === 1 ? 'It starts' : 'Each starts';
  return [
    playersSentence(services, network),
    kill ? 'The processes are ended at once; what they have not saved is lost.' : null,
    `${which} again under its own id, from the newest files and values. Until then it takes no players.`,
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

/**
 * What stopping services will do, in sentences: where players go, what stays held, and what the minimum brings back.
 *
 * @param template of all of them; undefined when they are of several
 * @param network every service and template there is
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
    heldSentence(services),
    removedSentence(services),
    template === undefined ? null : minimumSentence(services, { template, all: network.services }),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

function playersSentence(services: readonly Stoppable[], network: Network): string | null {
  if (!services.some(isUp)) return null;
  const fate = playersAfterStop(services, network);
  if (fate.players === 0) return `Nobody is playing on ${services.length === 1 ? 'it' : 'them'} now.`;
  return fateWords(fate);
}

/** From this many services on, the number has to be typed before they are killed, or stopped. */
const TYPED_FROM = { kill: 20, stop: 100 };

/** What has to be typed to confirm that so many services end; undefined where a click is enough. */
export function typedCount(count: number, kill: boolean): string | undefined {
  return count >= (kill ? TYPED_FROM.kill : TYPED_FROM.stop) ? String(count) : undefined;
}

/** Whether draining is another way to end these: somebody is on one of them, or may join it. */
export function canDrain(services: readonly Pick<Service, 'stopping' | 'players' | 'draining'>[]): boolean {
  return services.some(({ stopping, players }) => stopping === null && players.online > 0);
}

/** What the choice of a time limit is about, before draining so many services. */
export function drainDeadlineLabel(count: number, proxiesOnly: boolean): string {
  const [are, they] = count === 1 ? ['it is', 'it stops'] : ['they are', 'they stop'];
  return proxiesOnly ? `If ${are} drained, ${they}` : `If players are moved first, ${they}`;
}

function processSentence(services: readonly Stoppable[], kill: boolean): string | null {
  if (!services.some(hasProcess))
    return services.every(isListedOnly)
      ? null
      : `${services.length === 1 ? 'It is' : 'They are'} withdrawn before running.`;
  if (services.length > 1)
    return kill
      ? 'The processes are ended at once; what they have not saved is lost.'
      : 'Each is asked to save and end, and ended after its time is up.';
  return kill
    ? 'The process is ended at once; what it has not saved is lost.'
    : 'The server is asked to save and end, and ended after its time is up.';
}

function heldSentence(services: readonly Stoppable[]): string | null {
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

/** A held one counts, running or not; the rules of a held template bring nothing back. */
function minimumSentence(
  services: readonly Stoppable[],
  { template, all }: { template: Template; all: readonly Stoppable[] },
): string | null {
  const ids = new Set(services.map(({ id }) => id));
  const counts = (one: Stoppable): boolean =>
    ids.has(one.id) ? one.held && !isListedOnly(one) : one.held || (one.stopping === null && isUp(one));
  const left = all.filter((one) => one.template === template.id && counts(one)).length;
  const missing = template.config.minimumRunningServers - left;
  if (missing <= 0 || template.held) return null;
  return `The minimum of the template is ${template.config.minimumRunningServers}, so ${missing === 1 ? 'a new one' : `${missing} new ones`} will start.`;
}
