import type { ActivityEvent } from '#shared/model/event.ts';

/** Which events are wanted; all that is given must fit. */
export interface EventFilter {
  readonly template?: string | undefined;
  /** Id of what it happened to. */
  readonly subject?: string | undefined;
  readonly kinds?: readonly ActivityEvent['kind'][] | undefined;
  readonly actor?: string | undefined;
  /** Each of its words is found in message, cause, subject or actor, whatever the case. */
  readonly text?: string | undefined;
  /** Times, ms since epoch: `from` included, `until` not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

type Fits = (event: ActivityEvent) => boolean;

/** Makes the question that each event is asked, the cheap parts first: thousands are asked for one answer. */
export function toFilter(filter: EventFilter): Fits {
  const { template, subject, actor, from, until } = filter;
  const kinds = filter.kinds === undefined ? null : new Set<string>(filter.kinds);
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

/** A pattern for each word: unlike lower case copies of 20,000 events it takes no memory. */
function toPatterns(text: string | undefined): RegExp[] {
  const words = (text ?? '').split(/\s+/).filter((word) => word !== '');
  return words.map((word) => new RegExp(word.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&'), 'iu'));
}

function isIn({ message, cause, subject, actor }: ActivityEvent, pattern: RegExp): boolean {
  return pattern.test(message) || pattern.test(cause) || pattern.test(subject.id) || pattern.test(actor);
}
