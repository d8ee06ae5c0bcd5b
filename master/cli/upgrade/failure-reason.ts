import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';

/** Returns the reason of a failure for use within a sentence, without a full stop at its end. */
export function failureReason(error: unknown): string {
  const sentence = hasCode(error, 'COMMAND_FAILED') ? error.details.why : reasonOf(error);
  return sentence.trim().replace(/\.$/, '');
}

/**
 * Returns the message of an error. Does not use toOverworldError for an Error: if this command throws the error
 * itself, toOverworldError would report a bug, although the message of the error is the reason.
 */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : toOverworldError(error).message;
}
