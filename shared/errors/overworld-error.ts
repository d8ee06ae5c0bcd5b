import { errorCodes, type ErrorCategory, type ErrorCode, type ErrorDetails } from './codes.ts';

/**
 * The one error class. `message` is the code's sentence for people; branch on `code` and `details`, never on
 * the message.
 */
export class OverworldError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'OverworldError';
  readonly code: C;
  readonly details: ErrorDetails<C>;

  constructor(code: C, details: ErrorDetails<C>, cause?: unknown) {
    const sentence = errorCodes[code].sentence as (details: ErrorDetails<C>) => string;
    super(sentence(details), cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  get category(): ErrorCategory {
    return errorCodes[this.code].category;
  }

  get retry(): boolean {
    return errorCodes[this.code].retry;
  }
}

/** True for an error of the given code; narrows its details. */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is OverworldError<C> {
  return error instanceof OverworldError && error.code === code;
}

/** Makes an OverworldError of anything thrown: itself, or INTERNAL with the original as cause. */
export function toOverworldError(thrown: unknown): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new OverworldError('INTERNAL', { what }, thrown);
}
