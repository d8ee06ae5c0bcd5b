import { serviceRamMb } from '#shared/config/template.ts';
import { isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Unmet } from '#shared/model/wait.ts';
import type { Hue } from '../../ui/hue.ts';
import { toBytes, toCount, toCountOf, toRam } from '../../view/numbers.ts';
import { toWaitWord } from '../../view/wait.ts';

/** What a template's services amount to now. */
export interface ServiceFacts {
  /** All that exist, on their way or up. */
  readonly all: number;
  /** Joinable ones. */
  readonly up: number;
  readonly players: number;
  /** Player slots on those that are up. */
  readonly slots: number;
}

/** Services by the template they were started from. */
export function groupByTemplate(services: readonly Service[]): ReadonlyMap<string, readonly Service[]> {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    const group = groups.get(service.template);
    if (group === undefined) groups.set(service.template, [service]);
    else group.push(service);
  }
  return groups;
}

export function serviceFacts(services: readonly Service[]): ServiceFacts {
  const up = services.filter(isUp);
  return {
    all: services.length,
    up: up.length,
    players: up.reduce((sum, { players }) => sum + players.online, 0),
    slots: up.reduce((sum, { players }) => sum + players.max, 0),
  };
}

/** `Proxy` or `Game server`. */
export function kindWord({ config }: Pick<Template, 'config'>): string {
  return config.isProxy ? 'Proxy' : 'Game server';
}

/** `min 1 · max 4`, `min 1 · no max`. */
export function limitsWords({ config }: Pick<Template, 'config'>): string {
  const { minimumRunningServers, maximumOnlineServers } = config;
  return `min ${minimumRunningServers} · ${maximumOnlineServers === -1 ? 'no max' : `max ${maximumOnlineServers}`}`;
}

/** RAM that one service takes: `1.4 GB`. */
export function ramWords({ config }: Pick<Template, 'config'>): string {
  return toRam(serviceRamMb(config));
}

/** `Lacks 2 services that it should have`. */
export function missingWords({ missing }: Pick<Unmet, 'missing'>): string {
  return `Lacks ${toCountOf(missing, 'service')} that ${missing === 1 ? 'is' : 'are'} wanted`;
}

/** What is most worth knowing of a template's state, as icon, word and hue. */
export type TemplateState = 'faulty' | 'no-jar' | 'unreadable' | 'held' | 'unmet' | 'changing' | 'ready';

type StateFacts = Pick<Template, 'problems' | 'files' | 'held' | 'unmet'>;

export function templateState({ problems, files, held, unmet }: StateFacts): TemplateState {
  if (problems.length > 0) return 'faulty';
  if (files.jar === null) return 'no-jar';
  if (files.problem !== null) return 'unreadable';
  if (held) return 'held';
  if (unmet !== null) return 'unmet';
  return files.revision === null ? 'changing' : 'ready';
}

/** The state in a pill. What a template lacks is told by the reason. */
export function templateStateWords(template: StateFacts): { readonly word: string; readonly hue: Hue } {
  const state = templateState(template);
  return state === 'unmet' && template.unmet !== null ? toWaitWord(template.unmet.wait) : stateWords[state];
}

const stateWords: Record<TemplateState, { readonly word: string; readonly hue: Hue }> = {
  faulty: { word: 'Faulty configuration', hue: 'bad' },
  'no-jar': { word: 'server.jar missing', hue: 'warn' },
  unreadable: { word: 'Files not usable', hue: 'bad' },
  held: { word: 'Held', hue: 'neutral' },
  unmet: { word: 'Lacks services', hue: 'warn' },
  changing: { word: 'Files changing', hue: 'busy' },
  ready: { word: 'Ready', hue: 'ok' },
};

/** Which services keep old values when template values with another effect than "now" change; undefined when none do. */
export function affectedWords(services: readonly Service[], nextStartChanges: number): string | undefined {
  const running = services.filter((service) => service.state !== 'REQUESTED').length;
  if (nextStartChanges === 0 || running === 0) return undefined;
  return `${toCountOf(running, 'service')} ${running === 1 ? 'keeps' : 'keep'} the old values until ${running === 1 ? 'it starts' : 'they start'} again.`;
}

/** `its 214 files (1.2 GB)`. */
export function filesWords({ files }: Pick<Template, 'files'>): string {
  return files.files === 0
    ? 'its empty folder'
    : `its ${toCountOf(files.files, 'file')} (${toBytes(files.bytes)})`;
}

/** What is deleted with a template, for the dialog's text. */
export function deleteConsequence(template: Template, facts: ServiceFacts): string {
  const players =
    facts.players === 0
      ? ''
      : `; ${toCount(facts.players)} ${facts.players === 1 ? 'player is' : 'players are'} sent away`;
  const services =
    facts.all === 0 ? '' : ` Its ${toCountOf(facts.all, 'service')} must be stopped first${players}.`;
  return `The configuration and ${filesWords(template)} are deleted from the master. This cannot be undone.${services}`;
}
