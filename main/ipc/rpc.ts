import type { MethodName, Params } from '#shared/rpc/contract.ts';
import type { MasterLink } from '../connections/link.ts';
import type { HandlersOf } from './handlers.ts';

/** Forwards calls to the master. The link checks the params against the method before anything is sent. */
export function rpcHandlers(link: MasterLink): HandlersOf<'rpc'> {
  return {
    'rpc.call': ({ method, params }) => link.call(method, params as Params<MethodName>),
  };
}
