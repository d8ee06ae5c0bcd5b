import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { requests, type Reply, type RequestName } from '#shared/ipc/contract.ts';
import { firstIssue } from '../connections/rpc-client.ts';
import { isForAnyMaster } from './for-any-master.ts';
import type { Handlers } from './handlers.ts';

interface AnswerOptions {
  /** Current selection number, which changes each time a person selects a master. */
  readonly choice: number;
  /** Receives errors that are bugs, with their stack, for the log. */
  readonly onInternal: (error: unknown, name: string) => void;
}

/**
 * Responds to one request of the window: parses the arguments, calls the handler, and wraps the result or error. The
 * error is MASTER_SWITCHED if the request is for a master that is no longer selected.
 *
 * @param request the raw request; may be anything
 * @throws never
 */
export async function answer(
  handlers: Handlers,
  request: { readonly name: unknown; readonly params: unknown; readonly choice: unknown },
  { choice, onInternal }: AnswerOptions,
): Promise<Reply> {
  const name = typeof request.name === 'string' ? request.name : '';
  try {
    if (!isRequestName(name)) throw new OverworldError('METHOD_UNKNOWN', { method: name });
    if (request.choice !== choice && !isForAnyMaster(name))
      throw new OverworldError('MASTER_SWITCHED', { request: name });
    const params = requests[name].params.safeParse(request.params);
    if (!params.success) {
      throw new OverworldError(
        'PARAMS_INVALID',
        { method: name, why: firstIssue(params.error) },
        params.error,
      );
    }
    // Handler and params belong to the same name; TypeScript cannot follow a pair through an index.
    const handle = handlers[name] as (params: unknown) => unknown;
    return { ok: true, value: await handle(params.data) };
  } catch (error) {
    const wire = toWire(error);
    if (wire.code === 'INTERNAL') onInternal(error, name);
    return { ok: false, error: wire };
  }
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name);
}
