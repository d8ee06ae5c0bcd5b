import type { EventLog } from '#master/store/event-log.ts';
import type { HandlersOf } from '../api.ts';

/** `activity.*` of the admin API. */
export function activityHandlers(events: EventLog): HandlersOf<'activity'> {
  return { 'activity.list': (query) => events.query(query) };
}
