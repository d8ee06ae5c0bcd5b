import { z } from 'zod';
import { openEnum } from '../tolerant.ts';
import { errorCodes, type ErrorCode, type ErrorDetails } from './codes.ts';
import { OverworldError, toOverworldError } from './overworld-error.ts';

/**
 * Form of an error over RPC (`error.data`), over IPC and in stored records: code and details. The receiver builds the
 * sentence from them. If the receiver does not know the code, it shows `message`, which is the sender's sentence.
 */
export const wireErrorSchema = z.object({
  code: openEnum(Object.keys(errorCodes) as ErrorCode[], 'ERROR_OF_OTHER_VERSION'),
  details: z.record(z.string(), z.unknown()),
  message: z.string(),
});

export type WireError = z.infer<typeof wireErrorSchema>;

/** Converts an error to its wire form. Drops the stack and the cause, which may contain secrets. */
export function toWire(thrown: unknown): WireError {
  const error = toOverworldError(thrown);
  return { code: error.code, details: { ...error.details }, message: error.message };
}

/** The part of an error that all versions of Overworld send. */
const anyErrorSchema = z.object({ code: z.string(), message: z.string() });

/**
 * Converts the wire form back to an OverworldError. A newer master may send a code that this version does not know,
 * or details that do not fit the code. The result is then ERROR_OF_OTHER_VERSION with the sender's sentence. A value
 * without the wire form becomes INTERNAL. Never throws.
 */
export function fromWire(wire: unknown): OverworldError {
  const parsed = wireErrorSchema.safeParse(wire);
  if (parsed.success) {
    const { code, details } = parsed.data;
    if (sentenceFits(code, details)) return new OverworldError(code, details as ErrorDetails<ErrorCode>);
  }
  const other = anyErrorSchema.safeParse(wire);
  if (other.success) return new OverworldError('ERROR_OF_OTHER_VERSION', other.data);
  const message = z.object({ message: z.string() }).safeParse(wire);
  return new OverworldError('INTERNAL', { what: message.success ? message.data.message : 'unknown error' });
}

/** Returns whether the details contain every key that the code's sentence needs. */
function sentenceFits(code: ErrorCode, details: Readonly<Record<string, unknown>>): boolean {
  let complete = true;
  const watched = new Proxy(details, {
    get(target, key) {
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) complete = false;
      return Reflect.get(target, key) as unknown;
    },
  });
  try {
    (errorCodes[code].sentence as (details: object) => string)(watched);
    return complete;
  } catch {
    return false;
  }
}
