import type { Connections } from '../connections/connections.ts';
import type { HandlersOf } from './handlers.ts';

/** Returns the handlers of requests about the masters that this app knows. */
export function connectionHandlers(connections: Connections): HandlersOf<'connections'> {
  return {
    'connections.list': () => connections.list(),
    'connections.save': ({ id, draft }) => connections.save(id, draft),
    'connections.remove': async ({ id }) => {
      await connections.remove(id);
      return {};
    },
    'connections.use': async ({ id }) => {
      await connections.use(id);
      return {};
    },
    'connections.restartMaster': async () => {
      await connections.restartMaster();
      return {};
    },
    'connections.test': ({ id, draft }) => connections.test(id, draft),
    'connections.trust': async ({ id, hostKey, typedName }) => ({
      trusted: await connections.trust(id, hostKey, typedName),
    }),
  };
}
