import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';

/** Returns the reason of a failure for use within a sentence, without a full stop at its end. */
export function failureReason(error: unknown): string {
  const sentence = hasCode(error, 'COMMAND_FAILED') ? error.details.why : reasonOf(error);
  return sentence.trim().replace(/\.$/, '');
}

/**
 * Returns the message of an error. toOverworldError would report an error that this command throws itself as a bug,
 * although its message is the reason.
 */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : toOverworldError(error).message;
}
