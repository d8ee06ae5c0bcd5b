import type { EventLog } from '#master/store/event-log.ts';
import type { Topics } from '../feed/topics.ts';

/** Receives reports of changes: events for the activity log, and the topics whose data apps have to fetch again. */
export interface Feed {
  readonly events: EventLog;
  readonly topics: Topics;
}
