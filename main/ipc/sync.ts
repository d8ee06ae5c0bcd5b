import type { LocalPlaces } from '../local/places.ts';
import type { Syncs } from '../sync/syncs.ts';
import type { HandlersOf } from './handlers.ts';

/** Returns the handlers of requests about comparing and synchronising. */
export function syncHandlers(syncs: Syncs, places: LocalPlaces): HandlersOf<'sync'> {
  return {
    'sync.compare': async ({ local, remote, content, task }) =>
      syncs.compare(await places.requireWhole(local), remote, { content, task }),
    'sync.start': ({ comparison, to, paths, deletes }) => syncs.start(comparison, { to, paths, deletes }),
  };
}
