import { z } from 'zod';

/** Schemas of one request's arguments and result. */
export interface Channel<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}

/** Defines one request of the contract by the schemas of its arguments and its result. */
export function channel<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Channel<P, R> {
  return { params, result };
}

/** Arguments of a request that takes none. */
export const nothing = z.strictObject({});

/** Result of a request that returns nothing. */
export const done = z.strictObject({});
