import type { EventLog } from '#master/store/event-log.ts';
import type { Topics } from '../feed/topics.ts';

/** Receives reports of changes: the activity log, and the topics that tell apps what to fetch again. */
export interface Feed {
  readonly events: EventLog;
  readonly topics: Topics;
}
