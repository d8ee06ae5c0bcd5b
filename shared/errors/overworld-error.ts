import { errorCodes, type ErrorCategory, type ErrorCode, type ErrorDetails } from './codes.ts';

/**
 * The error class of the whole project. `message` is the code's sentence for people. Branch on `code` and
 * `details`, never on the message.
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

/** Returns whether the error has the given code, and narrows its details. */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is OverworldError<C> {
  return error instanceof OverworldError && error.code === code;
}

/** Converts anything thrown to an OverworldError. Other errors become INTERNAL with the original as cause. */
export function toOverworldError(thrown: unknown): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new OverworldError('INTERNAL', { what }, thrown);
}
