import type { ActivityEvent } from '#shared/model/event.ts';

/** Filter for events. An event must match all fields that are set. */
export interface EventFilter {
  readonly template?: string | undefined;
  /** Id of the object that the event is about, for example a service. */
  readonly subject?: string | undefined;
  /** Kinds of events. A kind that does not exist matches no event. */
  readonly kinds?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  /** Words, each of which must appear in the message, cause, subject or actor. Case is ignored. */
  readonly text?: string | undefined;
  /** Time range (ms since epoch): `from` is inclusive, `until` exclusive. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

type Fits = (event: ActivityEvent) => boolean;

/** Returns a predicate for events. It checks the cheap fields first, because one query checks thousands of events. */
export function toFilter(filter: EventFilter): Fits {
  const { template, subject, actor, from, until } = filter;
  const kinds = filter.kinds === undefined ? null : new Set(filter.kinds);
  const patterns = toPatterns(filter.text);
  return (event) =>
    (template === undefined || event.template === template) &&
    (subject === undefined || event.subject.id === subject) &&
    (actor === undefined || event.actor === actor) &&
    (from === undefined || event.at >= from) &&
    (until === undefined || event.at < until) &&
    (kinds === null || kinds.has(event.kind)) &&
    patterns.every((pattern) => isIn(event, pattern));
}

/**
 * Returns a pattern for each word. The patterns ignore case, so that no lower-case copies of 20,000 events are
 * needed.
 */
function toPatterns(text: string | undefined): RegExp[] {
  const words = (text ?? '').split(/\s+/).filter((word) => word !== '');
  return words.map((word) => new RegExp(word.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&'), 'iu'));
}

function isIn({ message, cause, subject, actor }: ActivityEvent, pattern: RegExp): boolean {
  return pattern.test(message) || pattern.test(cause) || pattern.test(subject.id) || pattern.test(actor);
}
