import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { permits } from '#shared/model/role.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import type { Caller, Handlers } from '../api.ts';

/** Maximum number of reported problems of the parameters. */
const MAX_ISSUES = 5;

/**
 * Handles one request: checks the method, the caller's role and the parameters, and calls the handler.
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
  const { role: needs, params } = methods[method];
  // The role is checked before the parameters, so that a caller without the role gets no information about them.
  if (!permits(caller.role, needs))
    throw new OverworldError('FORBIDDEN', { method, role: caller.role, needs });
  const parsed = params.safeParse(request.params ?? {});
  if (!parsed.success) throw new OverworldError('PARAMS_INVALID', { method, why: inWords(parsed.error) });
  // The parameters and the handler of a method have matching types, but TypeScript cannot check this for all
  // methods at once.
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
