import { isPersistent, serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import { isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Unmet } from '#shared/model/wait.ts';
import { deletedDataWords } from '#shared/text/deleted-data.ts';
import type { Hue } from '../../ui/hue.ts';
import { toBytes, toCount, toCountOf, toRam } from '../../view/format/numbers.ts';
import { toWaitWord } from '../../view/service/wait.ts';
import type { RollingRestart } from './rolling-restarts.svelte.ts';

/** Figures of a template's services. */
export interface ServiceFacts {
  /** Number of all services, starting ones included. */
  readonly all: number;
  /** Number of services that players can join. */
  readonly up: number;
  readonly players: number;
  /** Number of player slots on services that players can join. */
  readonly slots: number;
}

/** A template with the figures of its services. */
export interface TemplateRow {
  readonly template: Template;
  readonly facts: ServiceFacts;
}

/** Groups services by template. */
export function groupByTemplate(services: readonly Service[]): ReadonlyMap<string, readonly Service[]> {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    const group = groups.get(service.template);
    if (group === undefined) groups.set(service.template, [service]);
    else group.push(service);
  }
  return groups;
}

/**
 * Returns the figures of a template's services: the number of all services, and the number, players and slots of
 * those that players can join.
 */
export function serviceFacts(services: readonly Service[]): ServiceFacts {
  const up = services.filter(isUp);
  return {
    all: services.length,
    up: up.length,
    players: up.reduce((sum, { players }) => sum + players.online, 0),
    slots: up.reduce((sum, { players }) => sum + players.max, 0),
  };
}

/** Returns the kind of a template's services in words: `Proxy` or `Game server`. */
export function kindWord({ config }: Pick<Template, 'config'>): string {
  return config.isProxy ? 'Proxy' : 'Game server';
}

/** Returns the limits for the number of a template's services: `min 1 · max 4`, `min 1 · no max`. */
export function limitsWords({ config }: Pick<Template, 'config'>): string {
  const { minimumRunningServers, maximumOnlineServers } = config;
  return `min ${minimumRunningServers} · ${maximumOnlineServers === -1 ? 'no max' : `max ${maximumOnlineServers}`}`;
}

/** Returns the RAM that one service takes: `1.4 GB`. */
export function ramWords({ config }: Pick<Template, 'config'>): string {
  return toRam(serviceRamMb(config));
}

/**
 * Returns the number of missing services in words: `2 services missing`. If none is missing, returns the reason to
 * wait in words.
 */
export function missingWords({ missing, wait }: Unmet): string {
  if (missing === 0) return toWaitWord(wait).word;
  return `${toCountOf(missing, 'service')} missing`;
}

/** The most important fact about a template's state, with icon, word and hue. */
export type TemplateState =
  'leaving' | 'faulty' | 'no-jar' | 'unreadable' | 'held' | 'unmet' | 'changing' | 'ready';

type StateFacts = Pick<Template, 'problems' | 'files' | 'held' | 'unmet' | 'leaving'>;

/**
 * Returns the most important fact about a template's state. If several facts apply, {@link TemplateState} lists the
 * most important first.
 */
export function templateState({ problems, files, held, unmet, leaving }: StateFacts): TemplateState {
  if (leaving !== null) return 'leaving';
  if (problems.length > 0) return 'faulty';
  if (files.jar === null) return 'no-jar';
  if (files.problem !== null) return 'unreadable';
  if (held) return 'held';
  if (unmet !== null) return 'unmet';
  return files.revision === null ? 'changing' : 'ready';
}

/** Returns word and hue of a template's state in a pill. If services are missing, the word names the reason. */
export function templateStateWords(template: StateFacts): { readonly word: string; readonly hue: Hue } {
  const state = templateState(template);
  return state === 'unmet' && template.unmet !== null ? toWaitWord(template.unmet.wait) : stateWords[state];
}

const stateWords: Record<TemplateState, { readonly word: string; readonly hue: Hue }> = {
  leaving: { word: 'Being deleted', hue: 'warn' },
  faulty: { word: 'Faulty configuration', hue: 'bad' },
  'no-jar': { word: 'server.jar missing', hue: 'warn' },
  unreadable: { word: 'Files not usable', hue: 'bad' },
  held: { word: 'Paused', hue: 'neutral' },
  unmet: { word: 'Services missing', hue: 'warn' },
  changing: { word: 'Files changing', hue: 'busy' },
  ready: { word: 'Ready', hue: 'ok' },
};

/**
 * Says how many services keep their old values after changes that take effect at the next start. Undefined if there
 * are no such services.
 */
export function affectedWords(
  services: readonly Service[],
  nextStartChanges: number,
  config: Pick<TemplateConfig, 'persistentPaths'>,
): string | undefined {
  const running = services.filter((service) => service.state !== 'REQUESTED').length;
  if (nextStartChanges === 0 || running === 0) return undefined;
  return `${toCountOf(running, 'service')} ${running === 1 ? 'keeps' : 'keep'} the old values until ${running === 1 ? 'it starts' : 'they start'} again. A new start deletes what ${running === 1 ? 'it' : 'they'} wrote${isPersistent(config) ? ' outside of persistent paths' : ''}.`;
}

/** Returns number and size of a template's files in words: `its 214 files (1.2 GB)`. */
export function filesWords({ files }: Pick<Template, 'files'>): string {
  return files.files === 0
    ? 'its empty folder'
    : `its ${toCountOf(files.files, 'file')} (${toBytes(files.bytes)})`;
}

/** Returns the title of the deletion dialog: `Delete template lobby and its 214 files`. */
export function deleteTitle({ id, files }: Pick<Template, 'id' | 'files'>): string {
  return `Delete template ${id}${files.files === 0 ? '' : ` and its ${toCountOf(files.files, 'file')}`}`;
}

/** Describes the data that is deleted with a template, for the dialog's text. */
export function deleteConsequence(template: Template): string {
  return `The configuration and ${filesWords(template)} are deleted from the master. This cannot be undone.`;
}

/** Describes in numbers what each way of deleting a template does to the template's services. */
export function deleteWays({
  all,
  players,
}: ServiceFacts): Readonly<Record<'refuse' | 'drain' | 'stop', string>> {
  const services = toCountOf(all, 'service');
  const them = all === 1 ? 'it' : 'them';
  const away =
    players === 0
      ? `No players are on ${them} now`
      : `${playersWords(players)} moved to a fallback of another template while it has room, or disconnected`;
  return {
    refuse: `Nothing is deleted while services exist. There ${all === 1 ? 'is' : 'are'} ${all === 0 ? 'none' : services} now.`,
    drain: `No new services start, and ${all === 1 ? 'its service' : `each of the ${services}`} stops once no players are on it${players === 0 ? '' : ` (${toCountOf(players, 'player')} now)`}. The template is deleted when the last one has stopped. Until then, you can cancel the deletion.`,
    stop: `${services} ${all === 1 ? 'is' : 'are'} stopped now. ${away}.`,
  };
}

/** Describes the progress of a deletion by draining. */
export function leavingWords({ all, players }: ServiceFacts): string {
  if (all === 0) return 'Its last service has stopped. It is being deleted.';
  const wait = players === 0 ? '' : `, ${toCountOf(players, 'player')} still on ${all === 1 ? 'it' : 'them'}`;
  return `It is deleted with its files when its last service has stopped: ${toCountOf(all, 'service')} left${wait}.`;
}

function playersWords(players: number): string {
  return `${toCount(players)} ${players === 1 ? 'player is' : 'players are'}`;
}

/** Describes the services with older values or files, and the effect of replacing them. */
export function outdatedWords(
  outdated: readonly Service[],
  config: Pick<TemplateConfig, 'persistentPaths'>,
): {
  readonly title: string;
  readonly text: string;
} {
  const what = [...new Set(outdated.flatMap((service) => service.outdated))];
  const one = outdated.length === 1;
  return {
    title: `${toCountOf(outdated.length, 'service')} ${one ? 'runs' : 'run'} with older ${olderWords(what)}`,
    text: `Changed since ${one ? 'its' : 'their'} start: ${what.join(', ')}. In a rolling restart, ${replacedWords(config)}. ${deletedDataWords({ count: outdated.length, persistent: isPersistent(config) ? outdated.length : 0 })}`,
  };
}

/**
 * Describes when a rolling restart replaces a service. A persistent service starts again only after it has stopped.
 */
function replacedWords(config: Pick<TemplateConfig, 'persistentPaths'>): string {
  return isPersistent(config)
    ? 'each stops once no player is on it, and then starts again with its saved data'
    : 'each stops once a new service is ready and no player is on it';
}

function olderWords(what: readonly string[]): string {
  if (!what.includes('files')) return 'values';
  return what.length === 1 ? 'files' : 'files and values';
}

/** Describes the progress of a rolling restart. */
export function rollingWords(
  { left, total }: RollingRestart,
  config: Pick<TemplateConfig, 'persistentPaths'>,
): {
  readonly title: string;
  readonly text: string;
} {
  const title =
    total === null
      ? `Rolling restart: ${toCountOf(left.length, 'service')} left`
      : `Rolling restart: ${total - left.length} of ${toCountOf(total, 'service')} replaced`;
  const inUse = left.filter(({ players }) => players.online > 0);
  const players = inUse.reduce((sum, service) => sum + service.players.online, 0);
  const text =
    inUse.length === 0
      ? isPersistent(config)
        ? 'Each stops, and then starts again with its saved data.'
        : 'Each stops as soon as a new service is ready.'
      : `${toCountOf(inUse.length, 'service')} with ${toCountOf(players, 'player')} ${inUse.length === 1 ? 'stops' : 'stop'} once no player is on ${inUse.length === 1 ? 'it' : 'them'}.`;
  return { title, text };
}
