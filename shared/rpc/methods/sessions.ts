import { z } from 'zod';
import { adminSessionSchema } from '../../model/access/admin-session.ts';
import { method, nothing } from './method.ts';

/** Sessions of people on the SSH port. The local socket of the command line is not one. */
export const sessionsMethods = {
  /** Lists the open sessions, the earliest login first. Only an owner gets those of other keys. */
  'sessions.list': method('viewer', nothing, z.array(adminSessionSchema)),
  /**
   * Closes a session with its transfers. Its key can log in again. Only an owner can end sessions of other keys. Returns
   * the session as it was. Fails with SESSION_NOT_FOUND if it is not open or the caller may not end it.
   */
  'sessions.end': method('viewer', z.strictObject({ session: z.string().max(64) }), adminSessionSchema),
} as const;
