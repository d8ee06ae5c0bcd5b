import type { AdminSession } from '#shared/model/access/admin-session.ts';

/** Returns the uses of a session: `App`, `SFTP`, both, or a dash for a login without an open channel. */
export function usesOf({ channels }: Pick<AdminSession, 'channels'>): string {
  const uses = [channels.api > 0 ? 'App' : '', channels.sftp > 0 ? 'SFTP' : ''].filter((use) => use !== '');
  return uses.join(', ') || '–';
}

/** Returns why the window cannot end a session. Undefined if it can. */
export function endRefusal({ own }: Pick<AdminSession, 'own'>, isConnected: boolean): string | undefined {
  if (!isConnected) return 'Not possible without a connection to the master';
  return own ? 'This window uses it, and would connect again at once' : undefined;
}
