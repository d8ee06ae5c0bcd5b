import { visibleName, visibleText } from '#shared/text/visible-name.ts';

import type { Preferences } from '#shared/ipc/contract.ts';
import type { ActivityEvent, EventKind } from '#shared/model/event.ts';

/** A system notification, and the place of the window that a click opens. */
export interface Note {
  readonly title: string;
  readonly body: string;
  /** As in the window's address: `services/lobby-1`. */
  readonly place: string;
}

/** What has been notified, so that nothing is notified twice. */
export interface NoteMemory {
  /** Time of the last notification about failing services, by template (ms since epoch). */
  readonly failingToldAt: Readonly<Record<string, number>>;
}

export const NO_MEMORY: NoteMemory = { failingToldAt: {} };

/** Minimum time between two notifications about failing services of a template (ms). */
export const FAILING_QUIET_MS = 5 * 60_000;

/** Maximum age of an event for a notification (ms). After a night without a link, old events are not notified. */
export const MAX_EVENT_AGE_MS = 15 * 60_000;

/** Maximum number of notifications at once. Further ones are combined into one. */
const MOST_NOTES = 4;

/** Kinds of events that may be notified. Only these are requested from the master. */
export const notifiedKinds: readonly EventKind[] = [
  'service.failed',
  'service.plugin-silent',
  'node.lost',
  'network.limit-reached',
  'balancer.trouble',
  'master.trouble',
];

interface Situation {
  readonly preferences: Preferences['notifications'];
  readonly memory: NoteMemory;
  /** Ms since epoch. */
  readonly now: number;
}

/**
 * Decides which notifications to show for new events, oldest first. Failing services are combined into one per
 * template, and not repeated for five minutes. Other events are shown one by one, according to the person's
 * preferences.
 *
 * @param events in any order
 */
export function decideNotes(
  events: readonly ActivityEvent[],
  { preferences, memory, now }: Situation,
): { readonly notes: readonly Note[]; readonly memory: NoteMemory } {
  const news = events.filter(({ at }) => now - at <= MAX_EVENT_AGE_MS).sort((a, b) => a.seq - b.seq);
  const failures = preferences.failures ? failing(news, memory, now) : [];
  const silent = preferences.failures ? silentNotes(news) : [];
  const others = [...silent, ...news.flatMap((event) => toNote(event, preferences) ?? [])];
  const told = Object.fromEntries(failures.map(({ template }) => [template, now]));
  return {
    notes: cut([...failures.map(({ note }) => note), ...others]).map(visible),
    memory: { failingToldAt: { ...forgetOld(memory.failingToldAt, now), ...told } },
  };
}

function failing(
  news: readonly ActivityEvent[],
  { failingToldAt }: NoteMemory,
  now: number,
): readonly { readonly template: string; readonly note: Note }[] {
  const byTemplate = new Map<string, ActivityEvent[]>();
  for (const event of news) {
    if (event.kind !== 'service.failed') continue;
    const template = event.template ?? event.subject.id;
    byTemplate.set(template, [...(byTemplate.get(template) ?? []), event]);
  }
  return [...byTemplate]
    .filter(([template]) => now - (failingToldAt[template] ?? -Infinity) >= FAILING_QUIET_MS)
    .map(([template, of]) => ({ template, note: failingNote(template, of) }));
}

function failingNote(template: string, events: readonly ActivityEvent[]): Note {
  const services = [...new Set(events.map(({ subject }) => subject.id))];
  const last = events.at(-1);
  const [only = template] = services;
  const body = last === undefined ? '' : whatAndWhy(last);
  return services.length === 1
    ? { title: `Service ${only} is failing`, body, place: `services/${only}` }
    : {
        title: `${services.length} services of ${template} are failing`,
        body,
        place: `templates/${template}/services`,
      };
}

/** Combines plugins that lost their link into one notification, because they mostly share a cause. */
function silentNotes(news: readonly ActivityEvent[]): readonly Note[] {
  const events = news.filter(({ kind }) => kind === 'service.plugin-silent');
  const services = [...new Set(events.map(({ subject }) => subject.id))];
  const [only] = services;
  const last = events.at(-1);
  if (only === undefined || last === undefined) return [];
  return services.length === 1
    ? [
        {
          title: `The plugin of ${only} is silent`,
          body: whatAndWhy(last),
          place: `services/${only}/details`,
        },
      ]
    : [
        {
          title: `The plugins of ${services.length} services are silent`,
          body: whatAndWhy(last),
          place: 'overview',
        },
      ];
}

function toNote(event: ActivityEvent, preferences: Preferences['notifications']): Note | null {
  const { kind, subject } = event;
  const body = whatAndWhy(event);
  switch (kind) {
    case 'node.lost':
      return preferences.nodes
        ? { title: `Node ${subject.id} is lost`, body, place: `nodes/${subject.id}` }
        : null;
    case 'network.limit-reached':
      return preferences.playerLimit ? { title: 'The network is full', body, place: 'overview' } : null;
    case 'balancer.trouble':
      return preferences.failures ? { title: 'HAProxy has a problem', body, place: 'overview/way-in' } : null;
    case 'master.trouble':
      return preferences.failures ? { title: 'The master has a problem', body, place: 'activity' } : null;
    default:
      return null;
  }
}

/** Some messages are complete sentences, some are not; a cause never is. */
function whatAndWhy({ message, cause }: ActivityEvent): string {
  if (cause === '') return message;
  return message.endsWith('.') ? `${message} (${cause})` : `${message}: ${cause}`;
}

function cut(notes: readonly Note[]): readonly Note[] {
  if (notes.length <= MOST_NOTES) return notes;
  const rest = notes.length - MOST_NOTES + 1;
  const more: Note = { title: `${rest} more problems`, body: 'See Activity.', place: 'activity' };
  return [...notes.slice(0, MOST_NOTES - 1), more];
}

/** Makes invisible characters visible, because names and causes come from the master. */
function visible({ title, body, place }: Note): Note {
  return { title: visibleName(title), body: visibleText(body), place };
}

function forgetOld(told: NoteMemory['failingToldAt'], now: number): NoteMemory['failingToldAt'] {
  return Object.fromEntries(Object.entries(told).filter(([, at]) => now - at < FAILING_QUIET_MS));
}
