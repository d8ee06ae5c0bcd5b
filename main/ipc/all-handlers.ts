import type { AppContext } from '../context/app-context.ts';
import { activityHandlers } from './activity.ts';
import { appHandlers } from './app.ts';
import { connectionHandlers } from './connections.ts';
import { fileHandlers } from './files.ts';
import type { Handlers } from './handlers.ts';
import { installHandlers } from './install.ts';
import { linkHandlers } from './link.ts';
import { localHandlers } from './local.ts';
import { logHandlers } from './logs.ts';
import { rpcHandlers } from './rpc.ts';
import { securityHandlers } from './security.ts';
import { syncHandlers } from './sync.ts';
import { transferHandlers } from './transfers.ts';

/** Creates the handlers of all requests. Each noun, the part of a request's name before the dot, has one line. */
export function allHandlers(context: AppContext): Handlers {
  const { connections, files, link, paths, window } = context;
  const { consent, places, syncs, tasks, transfers } = files;
  return {
    ...activityHandlers(context),
    ...appHandlers(context),
    ...connectionHandlers(connections),
    ...installHandlers(context),
    ...linkHandlers(link),
    ...rpcHandlers(link, tasks),
    ...logHandlers({ link, window }),
    ...fileHandlers({
      side: files,
      window,
      practice: { server: paths.practiceServer, proxy: paths.practiceProxy },
    }),
    ...localHandlers({ places, consent, tasks, window }),
    ...securityHandlers(context),
    ...syncHandlers(syncs, places),
    ...transferHandlers(transfers),
  };
}
