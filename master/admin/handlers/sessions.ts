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

/** Creates the handlers of `sessions.*`. */
export function sessionsHandlers(
  sessions: SessionRegistry,
  onEnd: (end: SessionEnd) => void,
): HandlersOf<'sessions'> {
  return {
    'sessions.list': (_, caller) => visibleTo(caller, sessions),
    'sessions.end': async ({ session: id }, caller) => {
      const session = visibleTo(caller, sessions).find((open) => open.id === id);
      if (session === undefined) throw new OverworldError('SESSION_NOT_FOUND', { session: id });
      onEnd({ session, actor: caller.name });
      // The caller's own session carries the response, so it ends only after the response was sent.
      if (session.own) setImmediate(() => void sessions.end(id));
      else await sessions.end(id);
      return session;
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
