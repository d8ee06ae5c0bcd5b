import { methods, type MethodName, type Params } from '#shared/rpc/contract.ts';
import type { MasterLink } from '../connections/link.ts';
import type { FileTasks } from '../transfers/operations/file-tasks.ts';
import type { HandlersOf } from './handlers.ts';

/** Forwards calls to the master. The link validates the params before it sends anything. */
export function rpcHandlers(link: MasterLink, tasks: FileTasks): HandlersOf<'rpc'> {
  return {
    'rpc.call': async ({ method, params }) => {
      // A task with this id runs either in this process or on the master. This process can cancel its own tasks
      // without a connection to the master.
      const cancel = method === 'files.cancel' ? methods['files.cancel'].params.safeParse(params) : null;
      if (cancel?.success === true && tasks.cancel(cancel.data.task)) return {};
      return link.call(method, params as Params<MethodName>);
    },
  };
}
