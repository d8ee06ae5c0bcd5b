import { z } from 'zod';
import type { Role } from '../../model/access/role.ts';

interface Method<P extends z.ZodType, R extends z.ZodType> {
  /** Lowest role that may call the method. */
  readonly role: Exclude<Role, 'files'>;
  readonly params: P;
  readonly result: R;
}

/** Defines a method of the admin API by its lowest role, its parameters and its result. */
export function method<P extends z.ZodType, R extends z.ZodType>(
  role: Exclude<Role, 'files'>,
  params: P,
  result: R,
): Method<P, R> {
  return { role, params, result };
}

/** Parameters of a method that takes none. */
export const nothing = z.strictObject({});
/** Result of a method that returns nothing. */
export const done = z.strictObject({});
