import type { MasterLink } from '../connections/link.ts';
import type { HandlersOf } from './handlers.ts';

/** Returns the handlers of requests about the link to the master. */
export function linkHandlers(link: MasterLink): HandlersOf<'link'> {
  return {
    'link.get': () => link.link,
    'link.retry': () => {
      link.retry();
      return {};
    },
  };
}
