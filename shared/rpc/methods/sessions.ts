import { z } from 'zod';
import { adminSessionSchema } from '../../model/access/admin-session.ts';
import { method, nothing } from './method.ts';

/**
 * Sessions of people on the SSH port. Connections of the command line over the local socket do not count as sessions.
 */
export const sessionsMethods = {
  /** Lists the open sessions, earliest login first. Only an owner also gets the sessions of other keys. */
  'sessions.list': method('viewer', nothing, z.array(adminSessionSchema)),
  /**
   * Closes a session with its transfers. The session's key can log in again. Only an owner can close sessions of
   * other keys. Returns the closed session. Fails with SESSION_NOT_FOUND if the session is not open, or if the caller
   * may not close it.
   */
  'sessions.end': method('viewer', z.strictObject({ session: z.string().max(64) }), adminSessionSchema),
} as const;
