import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';

/** Returns the reason of a failure for use inside of a sentence, without a period at its end. */
export function failureReason(error: unknown): string {
  const sentence = hasCode(error, 'COMMAND_FAILED') ? error.details.why : reasonOf(error);
  return sentence.trim().replace(/\.$/, '');
}

/** Errors that this command throws itself are reasons already, and no bugs. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : toOverworldError(error).message;
}
