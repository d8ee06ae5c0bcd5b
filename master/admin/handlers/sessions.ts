import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { permits } from '#shared/model/access/role.ts';
import type { Caller, HandlersOf } from '../api.ts';
import type { SessionRegistry } from '../sessions.ts';

/** A session that was ended on request, for the activity log. */
export interface SessionEnd {
  readonly session: AdminSession;
  /** Name of the key that made the request. */
  readonly actor: string;
}

/**
 * Creates the handlers of `sessions.*`.
 *
 * @param onEnd records the end of a session; resolves when the record is on disk. If it rejects, the caller gets the
 *   error although the session is ended
 */
export function sessionsHandlers(
  sessions: SessionRegistry,
  onEnd: (end: SessionEnd) => Promise<void>,
): HandlersOf<'sessions'> {
  return {
    'sessions.list': (_, caller) => visibleTo(caller, sessions),
    'sessions.end': async ({ session: id }, caller) => {
      const session = visibleTo(caller, sessions).find((open) => open.id === id);
      if (session === undefined) throw new OverworldError('SESSION_NOT_FOUND', { session: id });
      try {
        const recorded = onEnd({ session, actor: caller.name });
        await Promise.all([recorded, session.own ? undefined : sessions.end(id)]);
        return session;
      } finally {
        // The caller's own session carries the response, so it ends only after the response was sent.
        if (session.own) setImmediate(() => void sessions.end(id));
      }
    },
  };
}

/**
 * Returns the sessions that a caller may see and end: for owners all sessions, for others the sessions of the
 * caller's key.
 */
function visibleTo({ name, role, session: own }: Caller, sessions: SessionRegistry): AdminSession[] {
  return sessions
    .list()
    .filter(({ key }) => permits(role, 'owner') || key === name)
    .map((session) => ({ ...session, own: session.id === own }));
}
