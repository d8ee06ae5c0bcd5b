import { OverworldError } from '#shared/errors/overworld-error.ts';
import { EMBEDDED, type Connection, type ConnectionDraft } from '#shared/ipc/contract.ts';
import type { Profile, AppSettings } from '../vault/settings.ts';

/** Name of the embedded master in the window. */
export const EMBEDDED_NAME = 'This computer';

/** Maximum number of profiles. No user needs more, so a longer list is a mistake. */
const MOST_PROFILES = 100;

type Kept = Pick<AppSettings, 'connections' | 'embedded' | 'connection'>;

/** Returns the id of the connection in use: the stored id, or the embedded connection if that id is unknown. */
export function activeId({ connection, connections }: Kept): string {
  return connections.some(({ id }) => id === connection) ? connection : EMBEDDED;
}

/** Returns all connections as the window sees them, the embedded one first. */
export function toConnections(kept: Kept): Connection[] {
  const active = activeId(kept);
  const embedded: Connection = {
    id: EMBEDDED,
    kind: 'embedded',
    name: EMBEDDED_NAME,
    host: null,
    port: null,
    ...kept.embedded,
    active: active === EMBEDDED,
  };
  const remote = kept.connections.map(({ id, name, host, port, hostKey, lastConnectedAt }): Connection => ({
    id,
    kind: 'remote',
    name,
    host,
    port,
    hostKey,
    lastConnectedAt,
    active: id === active,
  }));
  return [embedded, ...remote];
}

/**
 * Returns a remote profile.
 *
 * @throws OverworldError CONNECTION_EMBEDDED for the embedded one, CONNECTION_NOT_FOUND
 */
export function remoteProfile({ connections }: Pick<Kept, 'connections'>, id: string): Profile {
  if (id === EMBEDDED) throw new OverworldError('CONNECTION_EMBEDDED', { connection: EMBEDDED_NAME });
  const profile = connections.find((one) => one.id === id);
  if (profile === undefined) throw new OverworldError('CONNECTION_NOT_FOUND', { connection: id });
  return profile;
}

/**
 * Returns the existing profiles and a new one. The new profile has no trusted host key yet.
 *
 * @throws OverworldError TOO_MANY
 */
export function withNew(kept: Pick<Kept, 'connections'>, id: string, draft: ConnectionDraft): Profile[] {
  requireRoom(kept);
  return [...kept.connections, { id, ...draft, hostKey: null, lastConnectedAt: null, server: null }];
}

/** Fails if no profile can be added. @throws OverworldError TOO_MANY */
export function requireRoom({ connections }: Pick<Kept, 'connections'>): void {
  if (connections.length < MOST_PROFILES) return;
  throw new OverworldError('TOO_MANY', { what: 'connections', limit: MOST_PROFILES });
}

/**
 * Returns the profiles with a new `server` in the profile with this id. Returns them unchanged if the id is unknown.
 */
export function withServer(
  { connections }: Pick<Kept, 'connections'>,
  id: string,
  server: Profile['server'],
): Profile[] {
  return connections.map((one) => (one.id === id ? { ...one, server } : one));
}

/**
 * Returns the profiles after a change of one of them. If its host or port has changed, it may lead to a different
 * master. Its pinned key, the time of its last connection and the login to its server are therefore cleared.
 *
 * @throws OverworldError as {@link remoteProfile}
 */
export function withChanged(
  kept: Pick<Kept, 'connections'>,
  id: string,
  draft: ConnectionDraft,
): { readonly connections: Profile[]; readonly moved: boolean } {
  const before = remoteProfile(kept, id);
  const moved = before.host !== draft.host || before.port !== draft.port;
  const after = {
    ...before,
    ...draft,
    ...(moved ? { hostKey: null, lastConnectedAt: null, server: null } : {}),
  };
  return { connections: kept.connections.map((one) => (one.id === id ? after : one)), moved };
}

/**
 * Returns the profiles without the given one. Fails if that profile is in use.
 *
 * @throws OverworldError CONNECTION_IN_USE, and as {@link remoteProfile}
 */
export function without(kept: Kept, id: string): Profile[] {
  const { name } = remoteProfile(kept, id);
  if (activeId(kept) === id) throw new OverworldError('CONNECTION_IN_USE', { connection: name });
  return kept.connections.filter((one) => one.id !== id);
}
