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
import type { Settings, SettingsFile } from '../vault/settings.ts';
import type { Ask } from '../window/ask.ts';
import type { MasterLink } from './link.ts';
import {
  activeId,
  EMBEDDED_NAME,
  remoteProfile,
  toConnections,
  withChanged,
  without,
  withNew,
} from './profiles.ts';
import { findShownKey, ShownKeys } from './shown-keys.ts';
import type { SshTarget } from './ssh.ts';
import type { Identity } from '../vault/identity.ts';
import { visitMaster } from './visit.ts';

/** The parts of the embedded master that switching connections needs. */
export interface EmbeddedSwitch {
  /** Starts the embedded master if it is not running, and connects the link to it. */
  enter(): void;
  /** Disconnects from the embedded master. It exits unless it has services. */
  leave(): void;
  /** Reconnects after a person has trusted its new host key. */
  retry(): void;
  /** Restarts the embedded master. Resolves once the old process has exited; its services keep running. */
  restart(): Promise<void>;
}

interface Options {
  readonly settings: SettingsFile;
  readonly link: MasterLink;
  readonly embedded: EmbeddedSwitch;
  readonly identity: Identity;
  readonly log: Log;
  /** Asks the person at the window. */
  readonly ask: Ask;
  onChange(connections: readonly Connection[]): void;
  /** Called when the link belongs to another master. All data that the window shows is void. */
  onSwitch(): void;
  /**
   * Called when this connection may lead to a different master. Pending work for the previous one must not start
   * automatically.
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
   * Number of times a master was selected. A page that was loaded for an earlier selection shows another master's
   * data, so its requests must not reach the current one.
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
   * Switches to another connection. For the connection in use it reconnects.
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
   * Connects next to the link and identifies the master. Sends nothing to a master whose key is not the pinned one.
   *
   * @throws OverworldError MASTER_UNREACHABLE, AUTH_REFUSED, API_VERSION_MISMATCH …
   */
  async test(id: string | null, { host, port }: ConnectionDraft): Promise<ConnectionTest> {
    const known = id === null ? null : remoteProfile(this.#options.settings.data, id);
    const pin = known?.host === host && known.port === port ? known.hostKey : null;
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    try {
      return await visitMaster(
        { target: { host, port, pin }, identity: this.#options.identity },
        ({ info }) => {
          const { version, hostname, you } = info;
          const master = { version, hostname, role: you.role };
          // The pin exists, because the key was compared with it before.
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
    const active = activeId(data) === id;
    const before = this.#get(id).hostKey;
    // A different key may mean a different master.
    const isOther = before !== null && before !== hostKey;
    if (isOther) this.#leave(id);
    else this.#shown.forget(id);
    await this.#keep(
      id === EMBEDDED
        ? { embedded: { ...data.embedded, hostKey } }
        : { connections: data.connections.map((one) => (one.id === id ? { ...one, hostKey } : one)) },
    );
    if (!active) return;
    if (isOther) this.#switch(id);
    else if (id === EMBEDDED) embedded.retry();
    else this.#enter(id);
  }

  /** Handles a change of the link's state; stores the time of the last connection. */
  linkChanged(link: Link): void {
    const shown = findShownKey(link);
    if (shown !== null) this.#shown.note(link.connection, shown);
    if (link.status !== 'connected' || link.generation === this.#generation) return;
    this.#generation = link.generation;
    const { data } = this.#options.settings;
    const lastConnectedAt = Date.now();
    const change: Partial<Settings> =
      link.connection === EMBEDDED
        ? { embedded: { ...data.embedded, lastConnectedAt } }
        : {
            connections: data.connections.map((one) =>
              one.id === link.connection ? { ...one, lastConnectedAt } : one,
            ),
          };
    this.#keep(change).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the time of the connection could not be remembered');
    });
  }

  #switch(id: string): void {
    this.#choice += 1;
    this.#enter(id);
    this.#options.onSwitch();
  }

  /** Forgets what the previous master reported, because the connection may lead to a different one now. */
  #leave(id: string): void {
    this.#shown.forget(id);
    this.#options.onOtherMaster(id);
  }

  /** Connects the link to the given connection's master. */
  #enter(id: string): void {
    const { link, embedded, settings, log } = this.#options;
    log.info({ connection: id }, 'the link goes to another connection');
    if (id === EMBEDDED) {
      link.choose({ connection: EMBEDDED, kind: 'embedded', name: EMBEDDED_NAME });
      embedded.enter();
      return;
    }
    const { name, host, port, hostKey } = remoteProfile(settings.data, id);
    link.choose({ connection: id, kind: 'remote', name });
    const target: SshTarget = { host, port, pin: hostKey };
    link.connect(target);
  }

  #get(id: string): Connection {
    const found = this.list().find((one) => one.id === id);
    if (found === undefined) throw new OverworldError('CONNECTION_NOT_FOUND', { connection: id });
    return found;
  }

  async #keep(change: Partial<Settings>): Promise<void> {
    const written = this.#options.settings.update(change);
    this.#options.onChange(this.list());
    await written;
  }
}
