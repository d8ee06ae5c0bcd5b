import { methods, type MethodName, type Params } from '#shared/rpc/contract.ts';
import type { MasterLink } from '../connections/link.ts';
import type { FileTasks } from '../transfers/operations/file-tasks.ts';
import type { HandlersOf } from './handlers.ts';

/** Forwards calls to the master. The link checks the params against the method before anything is sent. */
export function rpcHandlers(link: MasterLink, tasks: FileTasks): HandlersOf<'rpc'> {
  return {
    'rpc.call': async ({ method, params }) => {
      // A piece of work has one id wherever it is done: by this process, also without a master, or on the master.
      const cancel = method === 'files.cancel' ? methods['files.cancel'].params.safeParse(params) : null;
      if (cancel?.success === true && tasks.cancel(cancel.data.task)) return {};
      return link.call(method, params as Params<MethodName>);
    },
  };
}
