import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import type {
  Bridge,
  Push,
  PushName,
  Reply,
  RequestName,
  RequestParams,
  RequestResult,
  TransferPlan,
} from '#shared/ipc/contract.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';

declare global {
  interface Window {
    /** Bridge to the main process. The preload script sets it. A plain browser has no bridge. */
    readonly overworld?: Bridge;
  }
}

function bridge(): Bridge {
  if (window.overworld === undefined) {
    throw new OverworldError('INTERNAL', { what: 'the window has no bridge to the main process' });
  }
  return window.overworld;
}

function unwrap(reply: Reply): unknown {
  if (reply.ok) return reply.value;
  throw fromWire(reply.error);
}

/** Sends a request to the main process. @throws OverworldError with the code of the main process or the master */
export async function request<R extends Exclude<RequestName, 'files.planDrop'>>(
  name: R,
  params: RequestParams<R>,
): Promise<RequestResult<R>> {
  // The main process has parsed the value with the schema of `name` before sending it.
  return unwrap(await bridge().request(name, params)) as RequestResult<R>;
}

/** Calls a method of the master's admin API. @throws OverworldError, NOT_CONNECTED while there is no connection */
export async function call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
  // The main process has parsed the value with the method's result schema.
  return (await request('rpc.call', { method, params })) as Result<M>;
}

/**
 * Plans the upload of files that a person dropped on the window. `folder` is a path on the master.
 *
 * @throws OverworldError as `Plans.planUpload` does
 */
export async function planDrop(folder: string, files: readonly File[]): Promise<TransferPlan> {
  return unwrap(await bridge().planDrop(folder, files)) as TransferPlan;
}

/** Subscribes to values that the main process pushes. @returns a function that unsubscribes */
export function subscribe<P extends PushName>(name: P, listener: (value: Push<P>) => void): () => void {
  return bridge().subscribe(name, listener);
}
