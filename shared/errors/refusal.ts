import { hasCode, OverworldError } from './overworld-error.ts';

/**
 * Returns whether a write of a file on the master failed so that nothing was written. After any other error, the
 * outcome is unknown: the master may have written the file although its answer was lost.
 */
export function isRefusal(error: unknown): boolean {
  if (hasCode(error, 'NOT_CONNECTED')) return true;
  return error instanceof OverworldError && (error.category === 'user' || error.category === 'node');
}
