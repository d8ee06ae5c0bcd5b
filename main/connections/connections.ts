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
import type { Log } from '../log.ts';
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
import { keyShownTo, ShownKeys } from './shown-keys.ts';
import type { Identity, SshTarget } from './ssh.ts';
import { visitMaster } from './visit.ts';

/** The master that comes with the app, as far as switching to it and away from it goes. */
export interface EmbeddedSide {
  /** Starts it if need be, and leads the link to it. */
  enter(): void;
  /** Leaves it: it ends unless it has services to look after. */
  leave(): void;
  /** Its new host key was trusted by a person. */
  retry(): void;
  /** Ends it and starts it again. Resolves once it has ended; its services run on. */
  restart(): Promise<void>;
}

interface Options {
  readonly settings: SettingsFile;
  readonly link: MasterLink;
  readonly embedded: EmbeddedSide;
  readonly identity: Identity;
  readonly log: Log;
  /** Asks the person at the window. */
  readonly ask: Ask;
  onChange(connections: readonly Connection[]): void;
  /** From now on the link belongs to another master: nothing that the window shows is true any more. */
  onSwitch(): void;
  /** This connection may lead to another master than before: what was meant for that one must not reach it by itself. */
  onOtherMaster(connection: string): void;
}

/** The masters this app knows, and which one it is linked to. */
export class Connections {
  readonly #options: Options;
  #generation = 0;
  #choice = 0;
  readonly #shown = new ShownKeys();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Connects to the one that was in use last. */
  start(): void {
    this.#enter(activeId(this.#options.settings.data));
  }

  /**
   * Counts the choices of a master so far. The page of an earlier one shows another master's things: what it asks for must
   * not reach this one.
   */
  get choice(): number {
    return this.#choice;
  }

  list(): Connection[] {
    return toConnections(this.#options.settings.data);
  }

  /** Keeps a new one (`id` null) or a changed one. @throws OverworldError TOO_MANY, or as {@link remoteProfile} */
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

  /** @throws OverworldError CONNECTION_IN_USE, or as {@link remoteProfile} */
  async remove(id: string): Promise<void> {
    await this.#keep({ connections: without(this.#options.settings.data, id) });
    this.#shown.forget(id);
  }

  /** Connects to another one, from now on. The one in use: tries again. @throws OverworldError CONNECTION_NOT_FOUND */
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

  /** Restarts the master of this computer; its services run on. @throws OverworldError NOT_CONNECTED while another is in use */
  async restartMaster(): Promise<void> {
    const { settings, embedded } = this.#options;
    if (activeId(settings.data) !== EMBEDDED) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    await embedded.restart();
  }

  /**
   * Looks who is there, beside the link. Nothing is sent to a master whose key is not the pinned one.
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
          // The key was compared with the pinned one before: there is one.
          return Promise.resolve({ hostKey: pin ?? '', trust: 'pinned' as const, master, ms: ms() });
        },
      );
    } catch (error) {
      const shown = keyShownTo({ error: toWire(error) });
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
   * A person has compared the key in the window, and is asked once more by the app itself, whose word the window cannot
   * take: then it is pinned, and the link tries again.
   *
   * @param typedName what was typed as the connection's name; wanted where another key was trusted before
   * @returns false when the person said no
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
    // Another key may mean another master.
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

  /** Hears how the link does, to remember when it last stood. */
  heard(link: Link): void {
    const shown = keyShownTo(link);
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

  /** Another master may be behind it from now on: what was heard from the one before means nothing. */
  #leave(id: string): void {
    this.#shown.forget(id);
    this.#options.onOtherMaster(id);
  }

  /** Leads the link to a connection. */
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
