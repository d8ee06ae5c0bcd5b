import { showsEvent } from '#shared/rpc/reach.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `activity.*`. */
export function activityHandlers(events: EventLog): HandlersOf<'activity'> {
  return {
    'activity.list': (query, { templates }) =>
      events.query({ ...query, shows: (event) => showsEvent(templates, event) }),
  };
}
