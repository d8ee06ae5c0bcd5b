import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { missingForCall, missingForMethod } from '#shared/rpc/reach.ts';
import type { Caller, Handlers } from '../api.ts';

/** Maximum number of problems with the parameters that an error reports. */
const MAX_ISSUES = 5;

/**
 * Handles one request: checks the method, the caller's rights and the parameters, and calls the handler.
 *
 * @returns what the handler returns
 * @throws OverworldError METHOD_UNKNOWN, FORBIDDEN, PARAMS_INVALID, and whatever the handler throws
 */
export async function dispatch(
  request: { readonly method: string; readonly params: unknown },
  caller: Caller,
  handlers: Handlers,
): Promise<unknown> {
  const { method } = request;
  if (!isMethodName(method)) throw new OverworldError('METHOD_UNKNOWN', { method: method.slice(0, 100) });
  const { params } = methods[method];
  const require = (missing: string | null): void => {
    if (missing === null) return;
    throw new OverworldError('FORBIDDEN', { method, role: caller.role, needs: missing });
  };
  // Checks the right to call the method before the parameters, so that a caller without this right gets no
  // information about them.
  require(missingForMethod(caller, method));
  const parsed = params.safeParse(request.params ?? {});
  if (!parsed.success) throw new OverworldError('PARAMS_INVALID', { method, why: inWords(parsed.error) });
  // The parameters and the handler of a method have matching types, but TypeScript cannot check this for all
  // methods at once.
  require(missingForCall(caller, method, parsed.data as never));
  const handler = handlers[method] as (params: unknown, caller: Caller) => unknown;
  return await handler(parsed.data, caller);
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

function inWords(error: z.ZodError): string {
  const issues = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const field = path.length === 0 ? 'the parameters' : path.map(String).join('.');
    return `${field}: ${message}`;
  });
  const more = error.issues.length - issues.length;
  return issues.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
