import { existsSync, readdirSync } from 'node:fs';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { EMBEDDED } from '#shared/ipc/contract.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';
import type { EmbeddedSide as Side } from '../connections/connections.ts';
import type { MasterLink } from '../connections/link.ts';
import { addressOf, type Identity } from '../connections/ssh.ts';
import { visitMaster } from '../connections/visit.ts';
import type { Log } from '../log.ts';
import type { SettingsFile } from '../vault/settings.ts';
import type { Announcement } from './announcement.ts';
import { EmbeddedMaster } from './embedded-master.ts';
import { decideOnHostKey } from './host-key-pin.ts';
import type { MasterChild } from './master-child.ts';

/** How long a master without services may take to end, ms. */
const LEAVE_TIMEOUT_MS = 15_000;

interface EmbeddedSideOptions {
  readonly dataFolder: string;
  readonly identity: Identity;
  readonly link: MasterLink;
  readonly settings: SettingsFile;
  readonly log: Log;
  fork(): MasterChild;
  writeLog(text: string): void;
}

/**
 * Runs the bundled master, and leads the link to wherever it listens, as to a remote one. While another connection is in
 * use it runs on only for services it has; without any it ends.
 */
export class EmbeddedSide implements Side {
  readonly master: EmbeddedMaster;
  readonly #options: EmbeddedSideOptions;
  #entered = false;
  #folderWasNew = false;
  #announced: Announcement | null = null;

  constructor(options: EmbeddedSideOptions) {
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
      },
      onDown: (error) => {
        this.#announced = null;
        if (this.#entered) options.link.lose(error === null ? null : toWire(error));
      },
    });
  }

  /** Begins to start it before the link is there to be led: the sooner it serves, the sooner the window is of use. */
  prepare(): void {
    this.master.start();
  }

  enter(): void {
    this.#entered = true;
    this.master.start();
    if (this.#announced !== null) this.#lead(this.#announced);
  }

  leave(): void {
    this.#entered = false;
    this.#endIfIdle().catch((error: unknown) => {
      this.#options.log.warn(
        { err: error },
        'the embedded master could not be asked for its services; it runs on',
      );
    });
  }

  retry(): void {
    if (this.#entered && this.#announced !== null) this.#lead(this.#announced);
  }

  async restart(): Promise<void> {
    await this.end('keep', LEAVE_TIMEOUT_MS);
    this.master.start();
  }

  /** Services it has; null when it does not run or cannot be asked. */
  async countServices(limitMs: number): Promise<number | null> {
    if (this.#announced === null) return null;
    try {
      return (await this.#call('services.list', {}, limitMs)).services.length;
    } catch (error) {
      this.#options.log.info({ err: error }, 'the embedded master could not be asked for its services');
      return null;
    }
  }

  /** Ends it and waits for its end. When it cannot be asked it is terminated, and its services are kept. */
  async end(services: 'stop' | 'keep', limitMs: number): Promise<void> {
    await this.master.stop(async () => {
      try {
        await this.#call('master.shutdown', { services }, limitMs);
      } catch (error) {
        // It may end faster than its answer travels.
        if (hasCode(error, 'CONNECTION_LOST')) return;
        this.#options.log.warn({ err: error }, 'the embedded master could not be asked to end');
        this.master.terminate();
      }
    }, limitMs);
  }

  async #endIfIdle(): Promise<void> {
    const services = await this.countServices(LEAVE_TIMEOUT_MS);
    // Somebody may have come back meanwhile.
    if (this.#entered || services !== 0) return;
    this.#options.log.info('the embedded master has no services and is not in use; it ends');
    await this.end('keep', LEAVE_TIMEOUT_MS);
  }

  #call<M extends MethodName>(method: M, params: Params<M>, limitMs: number): Promise<Result<M>> {
    const { link, identity } = this.#options;
    // While it is left the link still stands for a moment, and would take the question with it.
    if (this.#entered && link.link.connection === EMBEDDED && link.link.status === 'connected') {
      return link.call(method, params, limitMs);
    }
    const announced = this.#announced;
    if (announced === null) throw new OverworldError('NOT_CONNECTED', { status: 'starting' });
    const { host, port, hostKey } = announced;
    return visitMaster({ target: { host, port, pin: hostKey }, identity, limitMs }, ({ rpc }) =>
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
