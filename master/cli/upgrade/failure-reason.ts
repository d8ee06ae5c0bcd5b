import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';

/** Returns the reason of a failure for use within a sentence, without a full stop at its end. */
export function failureReason(error: unknown): string {
  const sentence = hasCode(error, 'COMMAND_FAILED') ? error.details.why : reasonOf(error);
  return sentence.trim().replace(/\.$/, '');
}

/**
 * Returns the message of an error. Errors that this command throws itself have messages that are reasons, and must
 * not be reported as bugs.
 */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : toOverworldError(error).message;
}
