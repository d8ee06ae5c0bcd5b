import type { Client } from 'ssh2';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { toWire, type WireError } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';
import { openAdminApi, type AdminApi } from './admin-api.ts';
import {
  initialLinkState,
  nextLinkState,
  type LinkEvent,
  type LinkState,
  type LinkSubject,
} from './link-state.ts';
import type { MasterNotification, RpcClient } from './rpc-client.ts';
import { addressOf, openSsh, type SshConnection, type MasterAddress } from './ssh.ts';
import type { AppIdentity } from '../vault/identity.ts';

interface LinkOptions {
  readonly subject: LinkSubject;
  readonly identity: AppIdentity;
  onChange(link: Link): void;
  onNotification(notification: MasterNotification): void;
}

interface Open {
  readonly ssh: SshConnection;
  readonly rpc: RpcClient;
}

/** The master at a target, as it has identified itself. */
interface Reached extends Pick<AdminApi, 'info' | 'run' | 'clockOffsetMs'> {
  readonly target: MasterAddress;
}

/**
 * The link to one master. Keeps one SSH connection with the admin API open, reconnects automatically after failures
 * that may be temporary, and reports its state through {@link LinkOptions.onChange}.
 */
export class MasterLink {
  readonly #options: LinkOptions;
  #state: LinkState;
  #target: MasterAddress | null = null;
  #open: Open | null = null;
  #attempt: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#state = initialLinkState(options.subject);
  }

  get link(): Link {
    return this.#state.link;
  }

  /**
   * The open SSH connection, for channels next to the admin API.
   *
   * @throws OverworldError NOT_CONNECTED
   */
  get ssh(): Client {
    return this.#connected().ssh.client;
  }

  /**
   * Disconnects from the current master and selects another connection. A later call of {@link connect} sets the
   * address of its master.
   */
  choose(subject: LinkSubject): void {
    if (this.#closed) return;
    this.#target = null;
    this.#drop();
    this.#apply({ kind: 'chosen', subject });
  }

  /** Changes the displayed name of the current connection. */
  rename(name: string): void {
    this.#state = { ...this.#state, link: { ...this.#state.link, name } };
    this.#options.onChange(this.#state.link);
  }

  /** Connects to a master. First closes the existing connection, if there is one. */
  connect(target: MasterAddress): void {
    if (this.#closed) return;
    this.#drop();
    this.#target = target;
    this.#apply({ kind: 'target known', address: addressOf(target), hostKey: target.pin });
    void this.#try(target);
  }

  /** Handles the loss of the master's address (the embedded master exited) and waits for the next {@link connect}. */
  lose(error: WireError | null): void {
    if (this.#closed) return;
    this.#target = null;
    this.#drop();
    this.#apply({ kind: 'target lost', error });
  }

  /** Refuses a master before anything is sent to it, for example because it announced a different host key. */
  refuse(address: string, error: OverworldError): void {
    this.#fail(error, address);
  }

  /** Connects immediately. Does nothing while connected or connecting, or while the address is unknown. */
  retry(): void {
    const { status } = this.#state.link;
    if (this.#target === null || (status !== 'waiting' && status !== 'failed')) return;
    this.#drop();
    void this.#try(this.#target);
  }

  /**
   * Calls the admin API.
   *
   * @throws OverworldError NOT_CONNECTED, or as {@link RpcClient.call}
   */
  async call<M extends MethodName>(method: M, params: Params<M>, timeoutMs?: number): Promise<Result<M>> {
    return this.#connected().rpc.call(method, params, timeoutMs);
  }

  /**
   * Returns a `call` function that is bound to the current connection, for work that takes several calls. The
   * function never uses a later connection, which may lead to another master.
   *
   * @throws OverworldError NOT_CONNECTED; its calls throw CONNECTION_LOST after the connection is closed
   */
  onThisConnection(): MasterLink['call'] {
    const { rpc } = this.#connected();
    return (method, params, timeoutMs) => rpc.call(method, params, timeoutMs);
  }

  /** Closes the connection permanently. */
  close(): void {
    this.#closed = true;
    this.#target = null;
    this.#drop();
  }

  async #try(target: MasterAddress): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#apply({ kind: 'trying' });
    let ssh: SshConnection | null = null;
    try {
      ssh = await openSsh(target, this.#options.identity, attempt.signal);
      const { client } = ssh;
      attempt.signal.addEventListener('abort', () => client.destroy(), { once: true });
      const { rpc, info, run, clockOffsetMs } = await openAdminApi(client, {
        address: addressOf(target),
        onNotification: (notification) => this.#options.onNotification(notification),
        onClose: (closed) => this.#lost(closed, addressOf(target)),
      });
      // The user may have selected another master before the response arrived.
      attempt.signal.throwIfAborted();
      this.#attempt = null;
      this.#stand({ ssh, rpc }, { target, info, run, clockOffsetMs });
    } catch (error) {
      ssh?.client.destroy();
      // The caller that aborted the attempt sets the next state itself.
      if (!attempt.signal.aborted) this.#fail(toOverworldError(error));
    }
  }

  #stand(open: Open, { target, info, run, clockOffsetMs }: Reached): void {
    const { client, hostKey } = open.ssh;
    this.#open = open;
    client.once('close', () => this.#lost(open.rpc, addressOf(target)));
    const { version, apiVersion } = info;
    this.#apply({ kind: 'connected', hostKey, run, master: { version, apiVersion }, clockOffsetMs });
  }

  #lost(rpc: RpcClient, address: string): void {
    if (this.#open?.rpc !== rpc) return;
    this.#fail(new OverworldError('CONNECTION_LOST', { address }));
  }

  #fail(error: OverworldError, address?: string): void {
    this.#drop();
    if (this.#closed) return;
    if (address !== undefined) this.#apply({ kind: 'target known', address, hostKey: this.link.hostKey });
    this.#apply({ kind: 'failed', error: toWire(error), now: Date.now(), random: Math.random() });
    const { retryAt } = this.#state.link;
    const target = this.#target;
    if (retryAt === null || target === null) return;
    this.#timer = setTimeout(() => void this.#try(target), Math.max(0, retryAt - Date.now()));
  }

  #drop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#attempt?.abort();
    this.#attempt = null;
    const open = this.#open;
    this.#open = null;
    open?.rpc.close();
    open?.ssh.client.end();
  }

  #connected(): Open {
    if (this.#open === null) throw new OverworldError('NOT_CONNECTED', { status: this.#state.link.status });
    return this.#open;
  }

  #apply(event: LinkEvent): void {
    this.#state = nextLinkState(this.#state, event);
    this.#options.onChange(this.#state.link);
  }
}
