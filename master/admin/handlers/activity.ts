import type { EventLog } from '#master/store/event-log.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `activity.*`. */
export function activityHandlers(events: EventLog): HandlersOf<'activity'> {
  return { 'activity.list': (query) => events.query(query) };
}
