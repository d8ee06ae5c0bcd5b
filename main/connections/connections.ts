import { randomUUID } from 'node:crypto';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import {
  EMBEDDED,
  type Connection,
  type ConnectionDraft,
  type ConnectionTest,
  type Link,
} from '#shared/ipc/contract.ts';
import type { Log } from '../environment/log.ts';
import type { Profile, AppSettings, SettingsFile } from '../vault/settings.ts';
import type { Ask } from '../window/ask.ts';
import { questionAboutSwitch, type UnsavedTexts } from '../window/unsaved.ts';
import type { MasterLink } from './link.ts';
import {
  activeId,
  EMBEDDED_NAME,
  remoteProfile,
  toConnections,
  withChanged,
  without,
  withNew,
  withServer,
} from './profiles.ts';
import { findShownKey, ShownKeys } from './shown-keys.ts';
import type { MasterAddress } from './ssh.ts';
import type { AppIdentity } from '../vault/identity.ts';
import { withAdminApi } from './with-admin-api.ts';

/** The functions of the embedded connection that {@link Connections} calls. */
export interface EmbeddedSwitch {
  /** Starts the embedded master if it is not running, and connects the link to it. */
  enter(): void;
  /** Records that the embedded master is not in use. The embedded master exits unless it has services. */
  leave(): void;
  /** Reconnects to the embedded master after a person has trusted its new host key. */
  retry(): void;
  /** Restarts the embedded master. Resolves once the old process has exited. The master's services keep running. */
  restart(): Promise<void>;
}

/** A master that the app has installed on a server. */
export interface InstalledMaster {
  readonly draft: ConnectionDraft;
  /** Fingerprint of the master's host key, read on its server. */
  readonly hostKey: string;
  readonly server: NonNullable<Profile['server']>;
}

/** A master that the app has moved to another server. */
export interface MovedMaster {
  readonly host: string;
  readonly port: number;
  /** Fingerprint of the master's host key, which the move has not changed. */
  readonly hostKey: string;
  readonly server: NonNullable<Profile['server']>;
}

interface Options {
  readonly settings: SettingsFile;
  readonly link: MasterLink;
  readonly embedded: EmbeddedSwitch;
  readonly identity: AppIdentity;
  readonly log: Log;
  /** Asks the person in a dialog of the system over the window. */
  readonly ask: Ask;
  /** Texts that the page has not saved. A reload of the page loses them. */
  readonly unsaved: Pick<UnsavedTexts, 'names'>;
  onChange(connections: readonly Connection[]): void;
  /** Called when the link has switched to another master. All data that the window shows is then outdated. */
  onSwitch(): void;
  /**
   * Called when the connection with this id may lead to a different master than before. Pending work for the previous
   * master must not start automatically.
   */
  onOtherMaster(connection: string): void;
}

/** Manages the connection profiles of the masters that this app knows, and the link to the selected one. */
export class Connections {
  readonly #options: Options;
  #generation = 0;
  #choice = 0;
  readonly #shown = new ShownKeys();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Connects to the master that was last in use. */
  start(): void {
    this.#enter(activeId(this.#options.settings.data));
  }

  /**
   * Number of the current selection: how often a person has selected a master. A page that was loaded for an earlier
   * selection shows data of another master, so its requests must not reach the current master.
   */
  get choice(): number {
    return this.#choice;
  }

  list(): Connection[] {
    return toConnections(this.#options.settings.data);
  }

  /**
   * Saves a new profile (`id` null) or a changed one.
   *
   * @throws OverworldError TOO_MANY, or as {@link remoteProfile}
   */
  async save(id: string | null, draft: ConnectionDraft): Promise<Connection> {
    const { data } = this.#options.settings;
    if (id === null) {
      const made = randomUUID();
      await this.#keep({ connections: withNew(data, made, draft) });
      return this.#get(made);
    }
    const { connections, moved } = withChanged(data, id, draft);
    await this.#keep({ connections });
    if (moved) this.#leave(id);
    if (activeId(data) === id) {
      if (moved) this.#switch(id);
      else this.#options.link.rename(draft.name);
    }
    return this.#get(id);
  }

  /**
   * Removes a profile.
   *
   * @throws OverworldError CONNECTION_IN_USE, or as {@link remoteProfile}
   */
  async remove(id: string): Promise<void> {
    await this.#keep({ connections: without(this.#options.settings.data, id) });
    this.#shown.forget(id);
  }

  /**
   * Switches to a connection. If the connection is already in use, retries a failed link at once.
   *
   * @throws OverworldError CONNECTION_NOT_FOUND
   */
  async use(id: string): Promise<void> {
    const { settings, link, embedded } = this.#options;
    const before = activeId(settings.data);
    if (id === before) {
      link.retry();
      return;
    }
    if (id !== EMBEDDED) remoteProfile(settings.data, id);
    if (before === EMBEDDED) embedded.leave();
    const kept = this.#keep({ connection: id });
    this.#switch(id);
    await kept;
  }

  /**
   * Restarts the embedded master; its services keep running.
   *
   * @throws OverworldError NOT_CONNECTED while another connection is in use
   */
  async restartMaster(): Promise<void> {
    const { settings, embedded } = this.#options;
    if (activeId(settings.data) !== EMBEDDED) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    await embedded.restart();
  }

  /**
   * Opens a second connection next to the link and identifies the master. Logs in only if the master shows the host
   * key that is pinned for this address. Returns any other key as `unknown` or `changed`. If the address is the one
   * in the profile, a person can trust such a key with {@link trust}.
   *
   * @param id profile whose pinned key counts; null for a connection that is not saved yet
   * @throws OverworldError CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED, MASTER_UNREACHABLE, AUTH_REFUSED,
   *   API_VERSION_MISMATCH, CONNECTION_LOST
   */
  async test(id: string | null, { host, port }: ConnectionDraft): Promise<ConnectionTest> {
    const known = id === null ? null : remoteProfile(this.#options.settings.data, id);
    const pin = known?.host === host && known.port === port ? known.hostKey : null;
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    try {
      return await withAdminApi(
        { target: { host, port, pin }, identity: this.#options.identity },
        ({ info }) => {
          const { version, hostname, you } = info;
          const master = { version, hostname, role: you.role };
          // The pin is not null here, because it was compared with the host key before.
          return Promise.resolve({ hostKey: pin ?? '', trust: 'pinned' as const, master, ms: ms() });
        },
      );
    } catch (error) {
      const shown = findShownKey({ error: toWire(error) });
      if (id !== null && shown !== null && known?.host === host && known.port === port)
        this.#shown.note(id, shown);
      if (hasCode(error, 'HOST_KEY_UNKNOWN')) {
        return { hostKey: error.details.found, trust: 'unknown', master: null, ms: ms() };
      }
      if (hasCode(error, 'HOST_KEY_CHANGED')) {
        return { hostKey: error.details.found, trust: 'changed', master: null, ms: ms() };
      }
      throw error;
    }
  }

  /**
   * Pins a host key that a person has compared in the window, and reconnects. The app asks the person once more in
   * a dialog of its own, because the window is not trusted with this decision.
   *
   * @param typedName the connection's name as the person typed it; required if another key was trusted before
   * @returns false if the person declines
   * @throws OverworldError CONNECTION_NOT_FOUND, HOST_KEY_NOT_SHOWN, HOST_KEY_NAME_MISSING
   */
  async trust(id: string, hostKey: string, typedName = ''): Promise<boolean> {
    const known = this.#get(id);
    if (!(await this.#shown.confirm(known, { hostKey, typedName }, this.#options.ask))) return false;
    await this.#pin(id, hostKey);
    return true;
  }

  async #pin(id: string, hostKey: string): Promise<void> {
    const { settings, embedded } = this.#options;
    const { data } = settings;
    const known = this.#get(id);
    const isOther = isOtherKey(known, hostKey);
    if (isOther) this.#leave(id);
    else this.#shown.forget(id);
    await this.#keep(
      id === EMBEDDED
        ? { embedded: { ...data.embedded, hostKey } }
        : { connections: data.connections.map((one) => (one.id === id ? { ...one, hostKey } : one)) },
    );
    if (!known.active) return;
    if (isOther) this.#switch(id);
    else if (id === EMBEDDED) embedded.retry();
    else this.#enter(id);
  }

  /**
   * Saves the connection to a master that the app has installed. The app read the master's host key on the server
   * itself, so no person has to compare the key. If a connection with the same address exists, changes it instead of
   * adding one. If this connection is in use with another host key, the app switches to the new master, but first asks
   * about unsaved texts. If the person declines, the connection keeps its host key, so the window shows both keys.
   *
   * @returns the id of the connection
   * @throws OverworldError TOO_MANY
   */
  async adopt({ draft, hostKey, server }: InstalledMaster): Promise<string> {
    const { data } = this.#options.settings;
    const known = data.connections.find(({ host, port }) => host === draft.host && port === draft.port);
    const id = known?.id ?? randomUUID();
    const connections = known === undefined ? withNew(data, id, draft) : data.connections;
    await this.#keep({ connections: withServer({ connections }, id, server) });
    if (known?.hostKey !== hostKey && (await this.#mayPin(id, hostKey))) await this.#pin(id, hostKey);
    return id;
  }

  /** Returns whether the person agrees to lose unsaved texts. True if pinning the key loses none. */
  async #mayPin(id: string, hostKey: string): Promise<boolean> {
    const known = this.#get(id);
    if (!known.active || !isOtherKey(known, hostKey)) return true;
    const { unsaved, ask } = this.#options;
    const question = questionAboutSwitch(known.name, unsaved.names);
    return question === null || (await ask(question)).confirmed;
  }

  /**
   * Changes a connection to the new address of its master. The master is the same, so its host key stays trusted, and
   * pending work for it continues.
   *
   * @throws OverworldError as {@link remoteProfile}
   */
  async relocate(id: string, { host, port, hostKey, server }: MovedMaster): Promise<void> {
    const { data } = this.#options.settings;
    const before = remoteProfile(data, id);
    const after = { ...before, host, port, hostKey, server };
    this.#shown.forget(id);
    await this.#keep({ connections: data.connections.map((one) => (one === before ? after : one)) });
    const isSame = before.host === host && before.port === port && before.hostKey === hostKey;
    if (activeId(data) === id && !isSame) this.#enter(id);
  }

  /** Handles a change of the link's state; stores the time of the last connection. */
  linkChanged(link: Link): void {
    const shown = findShownKey(link);
    if (shown !== null) this.#shown.note(link.connection, shown);
    if (link.status !== 'connected' || link.generation === this.#generation) return;
    this.#generation = link.generation;
    const { data } = this.#options.settings;
    const lastConnectedAt = Date.now();
    const change: Partial<AppSettings> =
      link.connection === EMBEDDED
        ? { embedded: { ...data.embedded, lastConnectedAt } }
        : {
            connections: data.connections.map((one) =>
              one.id === link.connection ? { ...one, lastConnectedAt } : one,
            ),
          };
    this.#keep(change).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the time of the connection could not be saved');
    });
  }

  #switch(id: string): void {
    this.#choice += 1;
    this.#enter(id);
    this.#options.onSwitch();
  }

  /**
   * Forgets the untrusted host key that the previous master showed, because the connection may lead to another master
   * now.
   */
  #leave(id: string): void {
    this.#shown.forget(id);
    this.#options.onOtherMaster(id);
  }

  /** Connects the link to the given connection's master. */
  #enter(id: string): void {
    const { link, embedded, settings, log } = this.#options;
    log.info({ connection: id }, 'the app switched to another connection');
    if (id === EMBEDDED) {
      link.choose({ connection: EMBEDDED, kind: 'embedded', name: EMBEDDED_NAME });
      embedded.enter();
      return;
    }
    const { name, host, port, hostKey } = remoteProfile(settings.data, id);
    link.choose({ connection: id, kind: 'remote', name });
    const target: MasterAddress = { host, port, pin: hostKey };
    link.connect(target);
  }

  #get(id: string): Connection {
    const found = this.list().find((one) => one.id === id);
    if (found === undefined) throw new OverworldError('CONNECTION_NOT_FOUND', { connection: id });
    return found;
  }

  async #keep(change: Partial<AppSettings>): Promise<void> {
    const written = this.#options.settings.update(change);
    this.#options.onChange(this.list());
    await written;
  }
}

/** Returns whether another key than the given one is pinned for a connection. The key may then be of another master. */
function isOtherKey({ hostKey: pinned }: Connection, hostKey: string): boolean {
  return pinned !== null && pinned !== hostKey;
}
