import { hasCode } from '#shared/errors/overworld-error.ts';

/** Returns the reason of an error without its advice, for use in another sentence. */
export function whyOf(error: unknown): string {
  if (hasCode(error, 'NODE_UNREACHABLE') || hasCode(error, 'NODE_TOOL_FAILED')) return error.details.why;
  return error instanceof Error ? error.message : String(error);
}
