import type { RememberedServer } from '#shared/ipc/contract.ts';
import type { Connections, InstalledMaster, MovedMaster } from '../connections/connections.ts';
import { remoteProfile, requireRoom, withServer } from '../connections/profiles.ts';
import type { Profile, SettingsFile } from '../vault/settings.ts';
import type { HostKey } from './server/host-key.ts';
import type { ServerAddress } from './server/known-hosts.ts';

/** The server of a master in the form in which it is stored: without secrets, and with the server's own host key. */
export type ServerOfMaster = NonNullable<Profile['server']>;

/** The app's connections to masters, for installations, updates and moves. */
export class KnownMasters {
  readonly #settings: SettingsFile;
  readonly #connections: Pick<Connections, 'adopt' | 'relocate'>;

  constructor(settings: SettingsFile, connections: Pick<Connections, 'adopt' | 'relocate'>) {
    this.#settings = settings;
    this.#connections = connections;
  }

  /**
   * Returns the profile of a remote master.
   *
   * @throws OverworldError CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED
   */
  find(connection: string): Profile {
    return remoteProfile(this.#settings.data, connection);
  }

  /** Fails if no connection can be added. @throws OverworldError TOO_MANY */
  requireRoom(): void {
    requireRoom(this.#settings.data);
  }

  /** Returns the host keys of a server that are stored with connections. */
  hostKeysOf({ host, port }: ServerAddress): HostKey[] {
    const servers = this.#servers().filter((server) => server.host === host && server.port === port);
    return servers.map(({ hostKey }) => hostKey);
  }

  /** Returns the paths of the private keys that are stored with connections. */
  keyPaths(): string[] {
    return this.#servers().flatMap(({ login }) => (login.kind === 'keyFile' ? [login.path] : []));
  }

  /** Returns the server that a connection was last installed or updated with, without its host key. */
  serverOf(connection: string): RememberedServer | null {
    const { server } = this.find(connection);
    if (server === null) return null;
    const { host, port, user, login } = server;
    return { host, port, user, login };
  }

  /**
   * Saves a connection to a new master. Changes the existing connection if one has the same address. @returns its id
   */
  async adopt(master: InstalledMaster): Promise<string> {
    return this.#connections.adopt(master);
  }

  /** Changes a connection to the new address of its master. @throws OverworldError as {@link find} */
  async relocate(connection: string, master: MovedMaster): Promise<void> {
    await this.#connections.relocate(connection, master);
  }

  /** Stores the server of a connection after an update. */
  async remember(connection: string, server: ServerOfMaster): Promise<void> {
    await this.#settings.update({ connections: withServer(this.#settings.data, connection, server) });
  }

  #servers(): ServerOfMaster[] {
    return this.#settings.data.connections.flatMap(({ server }) => (server === null ? [] : [server]));
  }
}
