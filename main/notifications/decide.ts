import { visibleName, visibleText } from '#shared/text/visible-name.ts';

import type { Preferences } from '#shared/ipc/contract.ts';
import type { ActivityEvent, EventKind } from '#shared/model/event.ts';

/** A system notification. A click opens its route in the window. */
export interface Note {
  readonly title: string;
  readonly body: string;
  /** Example: `services/lobby-1`. */
  readonly route: string;
}

/** Facts about earlier notifications, so that they are not repeated. */
export interface NoteMemory {
  /** Time of the last notification about failing services, by template (ms since epoch). */
  readonly failuresShownAt: Readonly<Record<string, number>>;
}

export const NO_MEMORY: NoteMemory = { failuresShownAt: {} };

/** Minimum time between two notifications about failing services of a template (ms). */
export const FAILING_QUIET_MS = 5 * 60_000;

/** Maximum number of notifications at once. If there are more, the last notification combines the rest. */
const MOST_NOTES = 4;

/** Kinds of events that may cause a notification. Only these are requested from the master. */
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
 * Decides which notifications to show for new events, according to the person's preferences. Combines failing
 * services of a template into one notification, which is not repeated for 5 minutes. Combines all silent plugins into
 * one notification. Each other event gets its own notification, oldest first. If there are more than four
 * notifications, combines the last ones into one.
 *
 * @param events new events in any sequence
 */
export function decideNotes(
  events: readonly ActivityEvent[],
  { preferences, memory, now }: Situation,
): { readonly notes: readonly Note[]; readonly memory: NoteMemory } {
  const sorted = [...events].sort((a, b) => a.seq - b.seq);
  const failures = preferences.failures ? failing(sorted, memory, now) : [];
  const silent = preferences.failures ? silentNotes(sorted) : [];
  const others = [...silent, ...sorted.flatMap((event) => toNote(event, preferences) ?? [])];
  const shown = Object.fromEntries(failures.map(({ template }) => [template, now]));
  return {
    notes: cut([...failures.map(({ note }) => note), ...others]).map(visible),
    memory: { failuresShownAt: { ...forgetOld(memory.failuresShownAt, now), ...shown } },
  };
}

function failing(
  sorted: readonly ActivityEvent[],
  { failuresShownAt }: NoteMemory,
  now: number,
): readonly { readonly template: string; readonly note: Note }[] {
  const byTemplate = new Map<string, ActivityEvent[]>();
  for (const event of sorted) {
    if (event.kind !== 'service.failed') continue;
    const template = event.template ?? event.subject.id;
    byTemplate.set(template, [...(byTemplate.get(template) ?? []), event]);
  }
  const shownAt = new Map(Object.entries(failuresShownAt));
  return [...byTemplate]
    .filter(([template]) => now - (shownAt.get(template) ?? -Infinity) >= FAILING_QUIET_MS)
    .map(([template, of]) => ({ template, note: failingNote(template, of) }));
}

function failingNote(template: string, events: readonly ActivityEvent[]): Note {
  const services = [...new Set(events.map(({ subject }) => subject.id))];
  const last = events.at(-1);
  const [only = template] = services;
  const body = last === undefined ? '' : whatAndWhy(last);
  return services.length === 1
    ? { title: `Service ${only} is failing`, body, route: `services/${only}` }
    : {
        title: `${services.length} services of ${template} are failing`,
        body,
        route: `templates/${template}/services`,
      };
}

/** Combines all plugins that lost their link into one notification, because they usually share a cause. */
function silentNotes(sorted: readonly ActivityEvent[]): readonly Note[] {
  const events = sorted.filter(({ kind }) => kind === 'service.plugin-silent');
  const services = [...new Set(events.map(({ subject }) => subject.id))];
  const [only] = services;
  const last = events.at(-1);
  if (only === undefined || last === undefined) return [];
  return services.length === 1
    ? [
        {
          title: `The plugin of ${only} is silent`,
          body: whatAndWhy(last),
          route: `services/${only}/details`,
        },
      ]
    : [
        {
          title: `The plugins of ${services.length} services are silent`,
          body: whatAndWhy(last),
          route: 'overview',
        },
      ];
}

function toNote(event: ActivityEvent, preferences: Preferences['notifications']): Note | null {
  const { kind, subject } = event;
  const body = whatAndWhy(event);
  switch (kind) {
    case 'node.lost':
      return preferences.nodes
        ? { title: `Node ${subject.id} is lost`, body, route: `nodes/${subject.id}` }
        : null;
    case 'network.limit-reached':
      return preferences.playerLimit ? { title: 'The network is full', body, route: 'overview' } : null;
    case 'balancer.trouble':
      return preferences.failures
        ? { title: 'HAProxy has a problem', body, route: 'overview/player-entry' }
        : null;
    case 'master.trouble':
      return preferences.failures ? { title: 'The master has a problem', body, route: 'activity' } : null;
    default:
      return null;
  }
}

/**
 * Returns message and cause as one text. Some messages are complete sentences, and others are not. A cause is never a
 * complete sentence.
 */
function whatAndWhy({ message, cause }: ActivityEvent): string {
  if (cause === '') return message;
  return message.endsWith('.') ? `${message} (${cause})` : `${message}: ${cause}`;
}

function cut(notes: readonly Note[]): readonly Note[] {
  if (notes.length <= MOST_NOTES) return notes;
  const rest = notes.length - MOST_NOTES + 1;
  const more: Note = { title: `${rest} more problems`, body: 'See Activity.', route: 'activity' };
  return [...notes.slice(0, MOST_NOTES - 1), more];
}

/** Makes invisible characters visible, because names and causes come from the master. */
function visible({ title, body, route }: Note): Note {
  return { title: visibleName(title), body: visibleText(body), route };
}

function forgetOld(shown: NoteMemory['failuresShownAt'], now: number): NoteMemory['failuresShownAt'] {
  return Object.fromEntries(Object.entries(shown).filter(([, at]) => now - at < FAILING_QUIET_MS));
}
