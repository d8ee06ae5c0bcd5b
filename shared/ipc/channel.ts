import { z } from 'zod';

/** What one request takes and gives. */
export interface Channel<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}

/** One line of the contract: the schemas of a request's arguments and of its answer. */
export function channel<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Channel<P, R> {
  return { params, result };
}

/** Arguments of a request that takes none. */
export const nothing = z.strictObject({});

/** Answer of a request that only does something. */
export const done = z.strictObject({});
