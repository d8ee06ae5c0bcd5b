import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { Deadline } from '#shared/node/clock.ts';
import { addressOf } from '../../connections/ssh.ts';
import type { HostKey } from './host-key.ts';
import { prepareLogin, type LoginSources } from './login.ts';
import { openServer } from './open-server.ts';
import type { RootShell } from './run-in-unit.ts';
import { ServerShell } from './shell.ts';

/**
 * How long the app tries to reach a server again after the connection broke, and the pause between two attempts (ms).
 */
const RETRY_FOR_MS = 60_000;
const PAUSE_MS = 1_000;

/** Maximum time to wait for the answer that shows that a connection works (ms). */
const ANSWER_MS = 10_000;

interface Contacted {
  readonly server: ServerDraft;
  /** The host key that the server has shown and that was accepted. */
  readonly hostKey: HostKey;
  readonly logins: LoginSources;
  readonly root: RootShell;
}

/**
 * Root's shell on a server that the job has logged in to. The connection can be opened again without asking the
 * person.
 */
export class ServerContact {
  /** `host:port` */
  readonly address: string;
  readonly #contacted: Contacted;
  #root: RootShell;

  constructor(contacted: Contacted) {
    this.#contacted = contacted;
    this.#root = contacted.root;
    this.address = addressOf(contacted.server);
  }

  get root(): RootShell {
    return this.#root;
  }

  /**
   * Returns root's shell. If the server does not answer on the existing connection within 10 s, logs in again.
   * Retries for a minute while the server cannot be reached.
   *
   * @throws OverworldError SERVER_UNREACHABLE, SERVER_KEY_CHANGED, SERVER_LOGIN_REFUSED, LOGIN_KEY_NOT_CHOSEN,
   *   LOGIN_KEY_UNUSABLE, or the signal's abort reason
   */
  async renew(signal: AbortSignal): Promise<RootShell> {
    if (await this.#answers(signal)) return this.#root;
    this.close();
    const { server, hostKey, logins, root } = this.#contacted;
    const deadline = new Deadline();
    deadline.set(RETRY_FOR_MS);
    for (;;) {
      signal.throwIfAborted();
      try {
        const login = await prepareLogin(server, logins);
        const client = await openServer(server, { hostKey, login, signal });
        this.#root = { sudo: root.sudo, shell: new ServerShell(client, this.address) };
        return this.#root;
      } catch (error) {
        if (deadline.isOver || !hasCode(error, 'SERVER_UNREACHABLE')) throw error;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  }

  /** Closes the connection. Commands that still run end. */
  close(): void {
    this.#root.shell.close();
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const asked = this.#root.shell.run('true', { sudo: null, signal: limit });
    return asked.then(
      () => true,
      () => false,
    );
  }
}
