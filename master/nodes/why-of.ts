import { hasCode } from '#shared/errors/overworld-error.ts';

/** What went wrong, without the advice around it: it is shown as a part of other sentences. */
export function whyOf(error: unknown): string {
  if (hasCode(error, 'NODE_UNREACHABLE') || hasCode(error, 'NODE_TOOL_FAILED')) return error.details.why;
  return error instanceof Error ? error.message : String(error);
}
