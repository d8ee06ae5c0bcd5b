import { existsSync, readdirSync } from 'node:fs';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { EMBEDDED } from '#shared/ipc/contract.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';
import type { EmbeddedSwitch } from '../connections/connections.ts';
import type { MasterLink } from '../connections/link.ts';
import { addressOf } from '../connections/ssh.ts';
import type { AppIdentity } from '../vault/identity.ts';
import { withAdminApi } from '../connections/with-admin-api.ts';
import type { Log } from '../environment/log.ts';
import type { Running } from '../quit/running-services.ts';
import type { SettingsFile } from '../vault/settings.ts';
import type { Announcement } from './announcement.ts';
import { EmbeddedMaster } from './embedded-master.ts';
import { decideOnHostKey } from './host-key-pin.ts';
import type { MasterChild } from './master-child.ts';

/** Maximum time to wait for the embedded master to respond or to exit, if no service has to stop (ms). */
const LEAVE_TIMEOUT_MS = 15_000;

interface EmbeddedConnectionOptions {
  readonly dataFolder: string;
  readonly identity: AppIdentity;
  readonly link: MasterLink;
  readonly settings: SettingsFile;
  readonly log: Log;
  fork(): MasterChild;
  writeLog(text: string): void;
}

/**
 * Runs the embedded master and connects the link to its address over SSH, as to a remote master. While another
 * connection is in use, the embedded master keeps running only if it has services or nodes that cost money.
 */
export class EmbeddedConnection implements EmbeddedSwitch {
  readonly master: EmbeddedMaster;
  readonly #options: EmbeddedConnectionOptions;
  #entered = false;
  /** Whether the embedded master was in use, and another master was selected then. */
  #left = false;
  #folderWasNew = false;
  #announced: Announcement | null = null;

  constructor(options: EmbeddedConnectionOptions) {
    this.#options = options;
    this.master = new EmbeddedMaster({
      log: options.log,
      writeLog: (text) => options.writeLog(text),
      fork: () => {
        this.#folderWasNew = isNew(options.dataFolder);
        return options.fork();
      },
      onReady: (announcement) => {
        this.#announced = announcement;
        if (this.#entered) this.#lead(announcement);
        // The master was still starting when it was left, or it has crashed since then.
        if (this.#left) this.#endSoonIfIdle();
      },
      onDown: (error) => {
        this.#announced = null;
        if (this.#entered) options.link.lose(error === null ? null : toWire(error));
      },
    });
  }

  /** Starts the master before {@link enter} is called, so that the window is usable sooner. */
  prepare(): void {
    this.master.start();
  }

  enter(): void {
    this.#entered = true;
    this.#left = false;
    this.master.start();
    if (this.#announced !== null) this.#lead(this.#announced);
  }

  leave(): void {
    this.#entered = false;
    this.#left = true;
    this.#endSoonIfIdle();
  }

  retry(): void {
    if (this.#entered && this.#announced !== null) this.#lead(this.#announced);
  }

  /**
   * Shuts the embedded master down and starts it again. Terminates the master if it has not exited after 15 s. Its
   * services keep running.
   */
  async restart(): Promise<void> {
    await this.end('keep', LEAVE_TIMEOUT_MS);
    this.master.start();
  }

  /**
   * Returns the numbers of services and of nodes that cost money of the embedded master. Null if the master does not
   * run, refuses the requests, or does not respond in time.
   *
   * @param limitMs maximum time to wait for each response (ms)
   */
  async countRunning(limitMs: number): Promise<Running | null> {
    if (this.#announced === null) return null;
    try {
      const [{ services }, nodes] = await Promise.all([
        this.#call('services.list', {}, limitMs),
        this.#call('nodes.list', {}, limitMs),
      ]);
      return { services: services.length, nodes: nodes.filter(({ rental }) => rental !== null).length };
    } catch (error) {
      this.#options.log.info(
        { err: error },
        'the embedded master could not be queried for its services and nodes',
      );
      return null;
    }
  }

  /**
   * Shuts the embedded master down and waits until it has exited. If the master does not respond, it is terminated,
   * and its services keep running.
   *
   * @param limitMs maximum time to wait before the master is terminated (ms)
   */
  async end(services: 'stop' | 'keep', limitMs: number): Promise<void> {
    await this.master.stop(async () => {
      try {
        await this.#call('master.shutdown', { services }, limitMs);
      } catch (error) {
        // The master may exit before its response arrives.
        if (hasCode(error, 'CONNECTION_LOST')) return;
        this.#options.log.warn({ err: error }, 'the embedded master could not be asked to shut down');
        this.master.terminate();
      }
    }, limitMs);
  }

  #endSoonIfIdle(): void {
    this.#endIfIdle().catch((error: unknown) => {
      this.#options.log.warn(
        { err: error },
        'the embedded master could not be queried for its services and nodes; it keeps running',
      );
    });
  }

  async #endIfIdle(): Promise<void> {
    const running = await this.countRunning(LEAVE_TIMEOUT_MS);
    // The user may have switched back to the embedded master meanwhile. Only a running master releases nodes.
    if (this.#entered || running === null || running.services > 0 || running.nodes > 0) return;
    this.#options.log.info(
      'the embedded master has no services and no cloud nodes and is not in use; it shuts down',
    );
    await this.end('keep', LEAVE_TIMEOUT_MS);
  }

  #call<M extends MethodName>(method: M, params: Params<M>, limitMs: number): Promise<Result<M>> {
    const { link, identity } = this.#options;
    // Right after `leave`, the link is still connected to the embedded master. But the switch to another connection
    // would abort a request on this link.
    if (this.#entered && link.link.connection === EMBEDDED && link.link.status === 'connected') {
      return link.call(method, params, limitMs);
    }
    const announced = this.#announced;
    if (announced === null) throw new OverworldError('NOT_CONNECTED', { status: 'starting' });
    const { host, port, hostKey } = announced;
    return withAdminApi({ target: { host, port, pin: hostKey }, identity, limitMs }, ({ rpc }) =>
      rpc.call(method, params, limitMs),
    );
  }

  #lead({ host, port, hostKey }: Announcement): void {
    const { link, settings, log } = this.#options;
    const decision = decideOnHostKey(hostKey, settings.data.embedded.hostKey, this.#folderWasNew);
    if (decision.kind === 'refuse') {
      const address = addressOf({ host, port });
      const details = { address, expected: decision.expected, found: hostKey };
      link.refuse(address, new OverworldError('HOST_KEY_CHANGED', details));
      return;
    }
    if (decision.pin) {
      settings.update({ embedded: { ...settings.data.embedded, hostKey } }).catch((error: unknown) => {
        log.error({ err: error }, 'the host key could not be pinned');
      });
    }
    link.connect({ host, port, pin: hostKey });
  }
}

function isNew(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}
