import { z } from 'zod';
import { errorCodes, type ErrorCode, type ErrorDetails } from './codes.ts';
import { OverworldError, toOverworldError } from './overworld-error.ts';

/** Shape of an error over RPC (`error.data`), IPC and in stored records: code and data; the far side makes the sentence. */
export const wireErrorSchema = z.object({
  code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
  details: z.record(z.string(), z.unknown()),
  message: z.string(),
});

export type WireError = z.infer<typeof wireErrorSchema>;

/** Error → wire. Stack and cause stay here: they may hold secrets. */
export function toWire(thrown: unknown): WireError {
  const error = toOverworldError(thrown);
  return { code: error.code, details: { ...error.details }, message: error.message };
}

/**
 * Wire → the same class on the far side. An unknown code (a newer master) or details that do not fit become
 * INTERNAL with the far side's own sentence.
 */
export function fromWire(wire: unknown): OverworldError {
  const parsed = wireErrorSchema.safeParse(wire);
  if (parsed.success) {
    const { code, details, message } = parsed.data;
    if (sentenceFits(code, details)) return new OverworldError(code, details as ErrorDetails<ErrorCode>);
    return new OverworldError('INTERNAL', { what: message });
  }
  const message = z.object({ message: z.string() }).safeParse(wire);
  return new OverworldError('INTERNAL', { what: message.success ? message.data.message : 'unknown error' });
}

/** True when the code's sentence can be made of these details: it asks for no key that they lack. */
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
